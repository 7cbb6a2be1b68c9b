package dev.queencell.report.page;

import dev.queencell.cell.output.Json;
import dev.queencell.report.figure.Figure;
import dev.queencell.report.figure.Group;
import dev.queencell.report.figure.Series;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The figures as the page's script reads them. Panes of the same place in one group share their
 * scale, so that figures side by side compare.
 */
final class FigureData {
  /** Digits beyond these are lost on any screen. */
  private static final double PRECISION = 1e6;

  private FigureData() {}

  /** JSON that can stand inside of a script element: nothing in it ends one or opens a comment. */
  static String json(List<Group> groups) {
    var figures = Json.mapper().createArrayNode();
    for (var group : groups) {
      group.figures().forEach(figure -> put(figures.addObject(), figure, group));
    }
    return figures
        .toString()
        .replace("<", "\\u003c")
        .replace(">", "\\u003e")
        .replace("&", "\\u0026")
        .replace("\u2028", "\\u2028")
        .replace("\u2029", "\\u2029");
  }

  private static void put(ObjectNode node, Figure figure, Group group) {
    node.put("id", figure.id());
    node.put("title", figure.title());
    node.put("subject", figure.subject());
    node.put("axis", word(figure.axis()));
    number(node, "steadyFrom", figure.steadyFrom());
    number(node, "steadyTo", figure.steadyTo());
    var panes = node.putArray("panes");
    for (var pane : figure.panes()) {
      var out = panes.addObject();
      out.put("name", pane.name());
      out.put("unit", word(pane.unit()));
      out.put("logarithmic", pane.logarithmic());
      out.put("height", pane.height());
      number(out, "shared", shared(group, pane));
      var all = out.putArray("series");
      pane.series().forEach(series -> put(all.addObject(), series));
    }
  }

  /** The largest value that panes of this name reach in the group. */
  private static double shared(Group group, Figure.Pane pane) {
    if (group.figures().size() == 1) {
      return Double.NaN;
    }
    return group.figures().stream()
        .flatMap(figure -> figure.panes().stream())
        .filter(other -> other.name().equals(pane.name()))
        .mapToDouble(FigureData::top)
        .filter(Double::isFinite)
        .max()
        .orElse(Double.NaN);
  }

  /** How high a pane's drawing reaches, stacks included. */
  private static double top(Figure.Pane pane) {
    var stacks = new HashMap<Double, Double>();
    double top = Double.NEGATIVE_INFINITY;
    for (var series : pane.series()) {
      boolean stacked = series.mark() == Series.Mark.AREA || series.mark() == Series.Mark.BAR;
      for (var point : series.points()) {
        if (point.isKnown()) {
          double height = stacked ? stacks.merge(point.x(), point.y(), Double::sum) : point.y();
          top = Math.max(top, height);
        }
      }
    }
    return top;
  }

  private static void put(ObjectNode node, Series series) {
    node.put("name", series.name());
    node.put("colour", series.colour());
    node.put("mark", word(series.mark()));
    ArrayNode data = node.putArray("data");
    for (var point : series.points()) {
      var pair = data.addArray();
      pair.add(rounded(point.x()));
      if (point.isKnown()) {
        pair.add(rounded(point.y()));
      } else {
        pair.addNull();
      }
    }
  }

  private static void number(ObjectNode node, String key, double value) {
    if (Double.isFinite(value)) {
      node.put(key, rounded(value));
    } else {
      node.putNull(key);
    }
  }

  private static double rounded(double value) {
    return Math.abs(value) > PRECISION
        ? Math.rint(value)
        : Math.rint(value * PRECISION) / PRECISION;
  }

  private static String word(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}
