package dev.queencell.cell.series;

import dev.queencell.cell.output.Json;
import java.util.Arrays;
import java.util.stream.DoubleStream;
import tools.jackson.databind.node.ObjectNode;

/**
 * What several rounds say of one number.
 *
 * @param rounds how many of them know it; with none the numbers are NaN
 */
record Spread(double median, double min, double max, int rounds) {
  /** Of the known ones among the values. */
  static Spread of(DoubleStream values) {
    double[] known = values.filter(Double::isFinite).sorted().toArray();
    if (known.length == 0) {
      return new Spread(Double.NaN, Double.NaN, Double.NaN, 0);
    }
    return new Spread(median(known), known[0], known[known.length - 1], known.length);
  }

  private static double median(double[] ascending) {
    int upper = ascending.length / 2;
    int lower = (ascending.length - 1) / 2;
    return Arrays.stream(ascending, lower, upper + 1).average().orElseThrow();
  }

  /** {@code 58.1 (55.0..61.3)}; a single round has no spread to show. */
  String text(Metric metric) {
    if (rounds < 2) {
      return metric.text(median);
    }
    return "%s (%s..%s)".formatted(metric.text(median), metric.text(min), metric.text(max));
  }

  ObjectNode json() {
    var out = Json.object();
    Numbers.put(out, "median", median);
    Numbers.put(out, "min", min);
    Numbers.put(out, "max", max);
    return out.put("rounds", rounds);
  }
}
