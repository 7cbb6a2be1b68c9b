package dev.queencell.report.figure;

import dev.queencell.report.figure.Figure.Unit;
import dev.queencell.report.read.Measured;
import dev.queencell.report.read.MeasuredPoint;
import dev.queencell.report.read.SeriesFile;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;
import tools.jackson.databind.JsonNode;

/**
 * Two sides at one rate, as rounds. What counts is the difference within a round, since drift of
 * the machine hits both. Where {@code tools/compare.sh} measured them its own rounds count;
 * otherwise the points of one folder through the proxy and straight at the broker at the same rate
 * are, the first of the one with the first of the other, and so on.
 *
 * @param ratePerSec of all of them
 * @param a name of one side
 * @param b name of the other, which is subtracted
 * @param rounds those that count
 * @param discarded how many were measured and don't count, since a verdict of theirs is no PASS
 */
public record Comparison(double ratePerSec, String a, String b, List<Round> rounds, int discarded) {
  private static final String PROXY = "proxy";
  private static final String BROKER = "broker";

  /** What is compared. */
  public static final List<Measure> MEASURES =
      List.of(
          new Measure("CPU of the cell per message", Unit.MICROS, "cellCpuMicrosPerMessage"),
          new Measure("CPU of the broker per message", Unit.MICROS, "cpuMicrosPerMessage", BROKER),
          new Measure("CPU of PostgreSQL per message", Unit.MICROS, "cpuMicrosPerMessage", "pg"),
          new Measure("latency p50", Unit.MS, "latencyMs", "p50"),
          new Measure("latency p90", Unit.MS, "latencyMs", "p90"),
          new Measure("latency p99", Unit.MS, "latencyMs", "p99"),
          new Measure("latency p99.9", Unit.MS, "latencyMs", "p999"),
          new Measure("commits per message", Unit.RATIO, "commitsPerMessage"));

  /** What a request costs the proxy itself, by its own count of requests. */
  public static final Measure PROXY_REQUEST =
      new Measure("CPU of the proxy per request", Unit.MICROS, "proxyCpuMicrosPerRequest");

  /** How late the latest hundredth is. */
  public static final Measure P99 = new Measure("latency p99", Unit.MS, "latencyMs", "p99");

  private static final Measure CELL_CPU = MEASURES.getFirst();
  private static final Measure PROXY_REQUESTS =
      new Measure("requests per message", Unit.RATIO, "proxyRequestsPerMessage");

  /** A number of a summary, by its path. */
  public record Measure(String name, Unit unit, List<String> path) {
    Measure(String name, Unit unit, String... path) {
      this(name, unit, List.of(path));
    }

    double of(MeasuredPoint point) {
      return point.number(path.toArray(String[]::new));
    }
  }

  /** One point of each side, measured one after the other. */
  public record Round(MeasuredPoint a, MeasuredPoint b) {
    /** a less b; NaN when one of them is not known. */
    double difference(Measure measure) {
      return measure.of(a) - measure.of(b);
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
  public static List<Comparison> of(Measured measured) {
    var comparisons = new ArrayList<Comparison>();
    for (var folder : measured.folders()) {
      var inside = measured.in(folder);
      comparisons.addAll(
          measured
              .series(SeriesFile.Kind.COMPARISON, folder)
              .map(file -> planned(file.document(), inside))
              .orElseGet(() -> inferred(inside)));
    }
    return comparisons.stream()
        .filter(one -> !one.rounds().isEmpty() || one.discarded() > 0)
        .toList();
  }

  private static List<Comparison> planned(JsonNode document, List<MeasuredPoint> points) {
    var plan = document.path("plan");
    return document
        .path("results")
        .valueStream()
        .map(
            result ->
                new Comparison(
                    result.path("ratePerSec").asDouble(Double.NaN),
                    plan.path("a").path("name").asString("a"),
                    plan.path("b").path("name").asString("b"),
                    rounds(result.path("points"), points),
                    result.path("discardedRounds").asInt(0)))
        .toList();
  }

  /** The rounds of which both points are here. */
  private static List<Round> rounds(JsonNode pairs, List<MeasuredPoint> points) {
    var rounds = new ArrayList<Round>();
    for (var pair : pairs) {
      var a = named(pair.path("a").asString(""), points);
      var b = named(pair.path("b").asString(""), points);
      if (a.size() == 1 && b.size() == 1) {
        rounds.add(new Round(a.getFirst(), b.getFirst()));
      }
    }
    return rounds;
  }

  private static List<MeasuredPoint> named(String runId, List<MeasuredPoint> points) {
    return points.stream().filter(point -> point.runId().equals(runId)).toList();
  }

  private static List<Comparison> inferred(List<MeasuredPoint> points) {
    return points.stream()
        .mapToDouble(Ladder::rate)
        .filter(rate -> rate > 0)
        .distinct()
        .sorted()
        .mapToObj(rate -> at(rate, points))
        .toList();
  }

  private static Comparison at(double rate, List<MeasuredPoint> points) {
    var through = targeting(PROXY, rate, points);
    var straight = targeting(BROKER, rate, points);
    var rounds = new ArrayList<Round>();
    for (int i = 0; i < Math.min(through.size(), straight.size()); i++) {
      rounds.add(new Round(through.get(i), straight.get(i)));
    }
    return new Comparison(rate, PROXY, BROKER, rounds, 0);
  }

  private static List<MeasuredPoint> targeting(
      String target, double rate, List<MeasuredPoint> points) {
    return points.stream()
        .filter(point -> point.text("target").equals(target) && Ladder.rate(point) == rate)
        .toList();
  }

  /** Whether the difference is what the proxy costs. */
  public boolean isOfProxy() {
    return !rounds.isEmpty()
        && rounds.stream()
            .allMatch(
                round ->
                    round.a().text("target").equals(PROXY)
                        && round.b().text("target").equals(BROKER));
  }

  public Spread ofA(Measure measure) {
    return spread(round -> measure.of(round.a()));
  }

  public Spread ofB(Measure measure) {
    return spread(round -> measure.of(round.b()));
  }

  /** Of the differences of the rounds, not the difference of the medians. */
  public Spread difference(Measure measure) {
    return spread(round -> round.difference(measure));
  }

  /** What a request through the proxy adds to the CPU of the whole cell, in µs. */
  public Spread cellCpuPerProxyRequest() {
    return spread(round -> round.difference(CELL_CPU) / PROXY_REQUESTS.of(round.a()));
  }

  private Spread spread(ToDoubleFunction<Round> value) {
    return Spread.of(rounds.stream().mapToDouble(value).toArray());
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
              new Series("%s − %s".formatted(a, b), "proxy", Series.Mark.BAR, differences),
              Series.limit("median", difference(measure).median())));
    }
    return new Figure(
            "compare-" + number,
            "%s less %s, by round".formatted(a, b),
            "%,.0f messages/s".formatted(ratePerSec),
            Figure.Axis.ROUND,
            Double.NaN,
            Double.NaN,
            panes)
        .pruned();
  }
}
