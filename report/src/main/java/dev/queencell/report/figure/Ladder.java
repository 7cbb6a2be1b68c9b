package dev.queencell.report.figure;

import dev.queencell.report.figure.Series.Mark;
import dev.queencell.report.figure.Series.Point;
import dev.queencell.report.read.MeasuredPoint;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Points of one folder and target at several rates: what was achieved, at which latency and cost.
 *
 * @param points from the lowest rate up
 */
public record Ladder(String target, List<MeasuredPoint> points) {
  /** As the loader prints its configuration; 0 is no rate of its own. */
  private static final Pattern RATE = Pattern.compile("(?:^| )rate=([0-9.]+)(?: |$)");

  public Ladder {
    points = List.copyOf(points);
  }

  /** One for each folder and target with at least two rates. */
  public static List<Ladder> of(List<MeasuredPoint> points) {
    return points.stream()
        .filter(point -> rate(point) > 0)
        .sorted(Comparator.comparingDouble(Ladder::rate))
        .collect(Collectors.groupingBy(Key::of, LinkedHashMap::new, Collectors.toList()))
        .entrySet()
        .stream()
        .filter(one -> one.getValue().stream().mapToDouble(Ladder::rate).distinct().count() > 1)
        .map(one -> new Ladder(one.getKey().target(), one.getValue()))
        .toList();
  }

  private record Key(String folder, String target) {
    static Key of(MeasuredPoint point) {
      return new Key(point.folder(), point.text("target"));
    }
  }

  /** The rate that was asked for, else the one that was offered; NaN when neither is known. */
  public static double rate(MeasuredPoint point) {
    var asked = RATE.matcher(point.record().path("config").asString(""));
    if (asked.find()) {
      double rate = Double.parseDouble(asked.group(1));
      if (rate > 0) {
        return rate;
      }
    }
    return Math.rint(point.number("offeredPerSec"));
  }

  static Figure figure(List<Ladder> ladders) {
    var delivered = new ArrayList<Series>();
    var latency = new ArrayList<Series>();
    var cost = new ArrayList<Series>();
    var ideal = new ArrayList<Point>();
    for (var ladder : ladders) {
      var name = ladder.target().isEmpty() ? "delivered" : ladder.target();
      var colour = ladder.target().equals("broker") ? "broker" : "proxy";
      delivered.add(ladder.dots(name, colour, p -> p.number("deliveredPerSec")));
      latency.add(ladder.dots(name, colour, p -> p.number("latencyMs", "p99")));
      cost.add(ladder.dots(name, colour, p -> p.number("cellCpuMicrosPerMessage")));
      ladder.points().forEach(point -> ideal.add(new Point(rate(point), rate(point))));
    }
    ideal.sort(Comparator.comparingDouble(Point::x));
    delivered.add(new Series("offered", "offered", Mark.LINE, ideal));
    return new Figure(
            "ladder",
            "By rate",
            "",
            Figure.Axis.OFFERED,
            Double.NaN,
            Double.NaN,
            List.of(
                Figure.Pane.of(
                    "delivered", Figure.Unit.PER_SECOND, 3, delivered.toArray(Series[]::new)),
                Figure.Pane.logarithmic("latency p99", Figure.Unit.MS, 2, latency),
                Figure.Pane.of(
                    "CPU of the cell per message",
                    Figure.Unit.MICROS,
                    2,
                    cost.toArray(Series[]::new))))
        .pruned();
  }

  private Series dots(String name, String colour, ToDoubleFunction<MeasuredPoint> value) {
    var dots =
        points.stream().map(point -> new Point(rate(point), value.applyAsDouble(point))).toList();
    return new Series(name, colour, Mark.DOTS, dots);
  }
}
