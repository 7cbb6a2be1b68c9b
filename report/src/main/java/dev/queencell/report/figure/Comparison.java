package dev.queencell.report.figure;

import dev.queencell.report.figure.Figure.Unit;
import dev.queencell.report.read.MeasuredPoint;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Points of one folder at the same rate through the proxy and straight at the broker, as rounds:
 * the first of the one with the first of the other, and so on. What counts is the difference within
 * a round, since drift of the machine hits both.
 *
 * @param offeredPerSec the rate of all of them
 */
public record Comparison(double offeredPerSec, List<Round> rounds) {
  /** What is compared. */
  public static final List<Measure> MEASURES =
      List.of(
          new Measure("CPU of the cell per message", Unit.MICROS, "cellCpuMicrosPerMessage"),
          new Measure("latency p50", Unit.MS, "latencyMs", "p50"),
          new Measure("latency p90", Unit.MS, "latencyMs", "p90"),
          new Measure("latency p99", Unit.MS, "latencyMs", "p99"),
          new Measure("commits per message", Unit.RATIO, "commitsPerMessage"));

  /** A number of a summary, by its path. */
  public record Measure(String name, Unit unit, List<String> path) {
    Measure(String name, Unit unit, String... path) {
      this(name, unit, List.of(path));
    }

    double of(MeasuredPoint point) {
      return point.number(path.toArray(String[]::new));
    }
  }

  /** One point of each kind, measured one after the other. */
  public record Round(MeasuredPoint proxy, MeasuredPoint broker) {
    /** Proxy less broker; NaN when one of them is not known. */
    double difference(Measure measure) {
      return measure.of(proxy) - measure.of(broker);
    }
  }

  /** A median with the least and the largest; NaN where nothing is known. */
  public record Spread(double least, double median, double largest) {
    static Spread of(double... values) {
      var known = Arrays.stream(values).filter(Double::isFinite).sorted().toArray();
      if (known.length == 0) {
        return new Spread(Double.NaN, Double.NaN, Double.NaN);
      }
      int middle = known.length / 2;
      double median =
          known.length % 2 == 1 ? known[middle] : (known[middle - 1] + known[middle]) / 2;
      return new Spread(known[0], median, known[known.length - 1]);
    }
  }

  public Comparison {
    rounds = List.copyOf(rounds);
  }

  /** One for each folder and rate that was measured both ways, from the lowest rate up. */
  public static List<Comparison> of(List<MeasuredPoint> points) {
    var comparisons = new ArrayList<Comparison>();
    for (var folder : points.stream().map(MeasuredPoint::folder).distinct().toList()) {
      var inside = points.stream().filter(point -> point.folder().equals(folder)).toList();
      inside.stream()
          .mapToDouble(Ladder::rate)
          .filter(rate -> rate > 0)
          .distinct()
          .sorted()
          .mapToObj(rate -> at(rate, inside))
          .filter(comparison -> !comparison.rounds().isEmpty())
          .forEach(comparisons::add);
    }
    return comparisons;
  }

  private static Comparison at(double rate, List<MeasuredPoint> points) {
    var through = targeting("proxy", rate, points);
    var straight = targeting("broker", rate, points);
    var rounds = new ArrayList<Round>();
    for (int i = 0; i < Math.min(through.size(), straight.size()); i++) {
      rounds.add(new Round(through.get(i), straight.get(i)));
    }
    return new Comparison(rate, rounds);
  }

  private static List<MeasuredPoint> targeting(
      String target, double rate, List<MeasuredPoint> points) {
    return points.stream()
        .filter(point -> point.text("target").equals(target) && Ladder.rate(point) == rate)
        .toList();
  }

  public Spread proxy(Measure measure) {
    return Spread.of(rounds.stream().mapToDouble(round -> measure.of(round.proxy())).toArray());
  }

  public Spread broker(Measure measure) {
    return Spread.of(rounds.stream().mapToDouble(round -> measure.of(round.broker())).toArray());
  }

  /** Of the differences of the rounds, not the difference of the medians. */
  public Spread difference(Measure measure) {
    return Spread.of(rounds.stream().mapToDouble(round -> round.difference(measure)).toArray());
  }

  Figure figure(int number) {
    var panes = new ArrayList<Figure.Pane>();
    for (var measure : MEASURES) {
      var differences = new ArrayList<Series.Point>();
      for (int i = 0; i < rounds.size(); i++) {
        differences.add(new Series.Point(i + 1.0, rounds.get(i).difference(measure)));
      }
      panes.add(
          Figure.Pane.of(
              measure.name(),
              measure.unit(),
              1,
              new Series("proxy − broker", "proxy", Series.Mark.BAR, differences),
              Series.limit("median", difference(measure).median())));
    }
    return new Figure(
            "compare-" + number,
            "Proxy less broker, by round",
            "%,.0f messages/s".formatted(offeredPerSec),
            Figure.Axis.ROUND,
            Double.NaN,
            Double.NaN,
            panes)
        .pruned();
  }
}
