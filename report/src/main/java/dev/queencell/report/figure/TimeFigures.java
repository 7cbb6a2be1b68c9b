package dev.queencell.report.figure;

import static dev.queencell.report.figure.Series.Mark.AREA;
import static dev.queencell.report.figure.Series.Mark.BAR;
import static dev.queencell.report.figure.Series.Mark.LINE;

import dev.queencell.cell.sample.Sample;
import dev.queencell.report.figure.Figure.Axis;
import dev.queencell.report.figure.Figure.Pane;
import dev.queencell.report.figure.Figure.Unit;
import dev.queencell.report.figure.Series.Point;
import dev.queencell.report.read.Interval;
import dev.queencell.report.read.Latencies;
import dev.queencell.report.read.MeasuredPoint;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;

/** What one point did over time. */
final class TimeFigures {
  /** From the bottom of a stack to its top, as processes are named everywhere. */
  static final List<String> UNITS = List.of("pg", "statepg", "state", "broker", "proxy");

  private static final int WAITS_SHOWN = 5;
  private static final double MICROS_PER_CPU_SECOND = 1e-6;
  private static final double MS_PER_MICRO = 1e-3;

  /** Intervals longer than this many of the usual ones have one missing between them. */
  private static final double TOLERATED_INTERVALS = 2.5;

  private final MeasuredPoint point;
  private final Timeline timeline;
  private final String id;

  TimeFigures(MeasuredPoint point, int number) {
    this.point = point;
    this.timeline = new Timeline(point);
    this.id = "p" + number;
  }

  Figure throughput() {
    double step = usualInterval();
    return figure(
        "throughput",
        "Throughput",
        Pane.of(
            "messages",
            Unit.PER_SECOND,
            1,
            line("offered", "offered", counted("offered", step)),
            line("accepted", "pushed", counted("accepted", step)),
            line("delivered", "delivered", counted("delivered", step)),
            onlyIfAny(line("not sent", "shed", counted("shed", step))),
            onlyIfAny(line("push failed", "failed", counted("pushFailed", step)))));
  }

  Figure lag() {
    var waiting = new ArrayList<Point>();
    double held = 0;
    for (var interval : point.intervals()) {
      held += interval.value("accepted") - interval.value("delivered");
      waiting.add(new Point(interval.endSeconds(), Math.max(0, held)));
    }
    return figure(
        "lag",
        "Lag",
        Pane.of("accepted, not delivered", Unit.COUNT, 2, line("waiting", "delivered", waiting)),
        Pane.of(
            "pushes without an answer",
            Unit.COUNT,
            1,
            line(
                "pushes under way",
                "pushed",
                intervals(usualInterval(), interval -> interval.value("inFlight")))));
  }

  Figure latency() {
    var slices = point.latencies().of(Latencies.END_TO_END);
    var series = new ArrayList<Series>();
    for (double percentile : List.of(50.0, 90.0, 99.0)) {
      series.add(
          line(
              "p%.0f".formatted(percentile),
              "p%.0f".formatted(percentile),
              latencies(slices, slice -> slice.histogram().getValueAtPercentile(percentile))));
    }
    series.add(line("max", "max", latencies(slices, slice -> slice.histogram().getMaxValue())));
    if (slices.isEmpty()) {
      series.clear();
      series.add(line("p50", "p50", positive(intervals("endToEndP50Ms"))));
      series.add(line("p99", "p99", positive(intervals("endToEndP99Ms"))));
    }
    return figure(
        "latency", "Latency, due to delivered", Pane.logarithmic("end to end", Unit.MS, 1, series));
  }

  Figure cpu() {
    var areas = new ArrayList<Series>();
    for (var unit : UNITS) {
      areas.add(area(unit, timeline.rate(point.unit(unit), "cpuMicros", MICROS_PER_CPU_SECOND)));
    }
    var loader = timeline.rate(point.unit("loader"), "cpuMicros", MICROS_PER_CPU_SECOND);
    areas.add(line("loader (not in the cell)", "loader", loader));
    areas.add(Series.limit("cap", point.number("capCpus")));
    var throttled = timeline.ratio(point.unit("slice"), "throttledPeriods", "periods", 1);
    return figure(
        "cpu",
        "CPU by process",
        Pane.of("CPUs", Unit.CPUS, 3, areas.toArray(Series[]::new)),
        Pane.of(
            "periods throttled",
            Unit.SHARE,
            1,
            new Series("throttled", "throttled", BAR, throttled)));
  }

  Figure commits() {
    var perMessage = new ArrayList<Point>();
    for (var interval : point.intervals()) {
      double from = interval.endSeconds() - interval.spanSeconds();
      double commits = timeline.increase(point.database(), "commits", from, interval.endSeconds());
      double delivered = interval.value("delivered");
      perMessage.add(
          new Point(interval.endSeconds(), delivered > 0 ? commits / delivered : Double.NaN));
    }
    return figure(
        "commits",
        "Commits",
        Pane.of(
            "commits per delivered message", Unit.RATIO, 1, line("per message", "pg", perMessage)),
        Pane.of(
            "commits",
            Unit.PER_SECOND,
            1,
            line("commits", "pg", timeline.rate(point.database(), "commits", 1))));
  }

  Figure log() {
    return figure(
        "wal",
        "Write-ahead log",
        Pane.of(
            "written",
            Unit.BYTES_PER_SECOND,
            1,
            line("log", "pg", timeline.rate(point.database(), "walBytes", 1))),
        Pane.of(
            "mean time of a sync",
            Unit.MS,
            1,
            line(
                "sync",
                "statepg",
                timeline.ratio(point.database(), "walFsyncMicros", "walFsyncs", MS_PER_MICRO))));
  }

  /**
   * Between two samples of the database the waits that were seen. No line about waits means that no
   * backend worked, where the database was sampled at all.
   */
  Figure waits() {
    var totals = new LinkedHashMap<String, Long>();
    for (var wait : point.waits()) {
      if (timeline.seconds(wait.monotonicMs()) >= Timeline.FROM_SECONDS) {
        totals.merge(event(wait), Math.max(0, wait.value("backends")), Long::sum);
      }
    }
    var shown =
        totals.entrySet().stream()
            .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
            .limit(WAITS_SHOWN)
            .map(Map.Entry::getKey)
            .toList();
    var bars = new ArrayList<Series>();
    for (int i = 0; i < shown.size(); i++) {
      var name = shown.get(i);
      bars.add(new Series(name, "wait" + i, BAR, seen(wait -> event(wait).equals(name))));
    }
    if (totals.size() > shown.size()) {
      bars.add(new Series("other", "loader", BAR, seen(wait -> !shown.contains(event(wait)))));
    }
    return figure(
        "waits",
        "What backends waited for",
        Pane.of("backends seen", Unit.COUNT, 1, bars.toArray(Series[]::new)));
  }

  Figure memory() {
    var areas = new ArrayList<Series>();
    for (var unit : UNITS) {
      areas.add(area(unit, timeline.state(point.unit(unit), "memoryBytes")));
    }
    areas.add(
        line("all, with shared", "offered", timeline.state(point.unit("slice"), "memoryBytes")));
    areas.add(Series.limit("cap", point.number("capMemoryBytes")));
    return figure(
        "memory", "Memory", Pane.of("resident", Unit.BYTES, 1, areas.toArray(Series[]::new)));
  }

  private List<Point> seen(Predicate<Sample> wanted) {
    var out = new ArrayList<Point>();
    var spans = timeline.spans(point.database());
    for (int i = 0; i < spans.size(); i++) {
      double from = spans.get(i).getFirst().monotonicMs() - spans.get(i).getFirst().spanMs();
      double to = spans.get(i).getLast().monotonicMs();
      long backends =
          point.waits().stream()
              .filter(wanted)
              .filter(wait -> wait.monotonicMs() > from && wait.monotonicMs() <= to)
              .mapToLong(wait -> wait.value("backends"))
              .sum();
      timeline.add(out, spans.get(i), (double) backends);
    }
    return out;
  }

  private static String event(Sample wait) {
    return wait.label("waitEventType") + '/' + wait.label("waitEvent");
  }

  private List<Point> counted(String column, double step) {
    return intervals(step, interval -> interval.perSecond(column));
  }

  private List<Point> intervals(String column) {
    return intervals(usualInterval(), interval -> interval.value(column));
  }

  private List<Point> intervals(double step, ToDoubleFunction<Interval> value) {
    var out = new ArrayList<Point>();
    for (var interval : point.intervals()) {
      if (interval.spanSeconds() > step * TOLERATED_INTERVALS) {
        out.add(new Point(interval.endSeconds() - interval.spanSeconds() / 2, Double.NaN));
      }
      out.add(new Point(interval.endSeconds(), value.applyAsDouble(interval)));
    }
    return out;
  }

  private double usualInterval() {
    var spans = point.intervals().stream().mapToDouble(Interval::spanSeconds).sorted().toArray();
    return spans.length == 0 ? 1 : spans[spans.length / 2];
  }

  private static List<Point> latencies(
      List<Latencies.Slice> slices, ToDoubleFunction<Latencies.Slice> micros) {
    return slices.stream()
        .map(
            slice ->
                new Point(
                    slice.endSeconds(),
                    slice.histogram().getTotalCount() == 0
                        ? Double.NaN
                        : micros.applyAsDouble(slice) * MS_PER_MICRO))
        .toList();
  }

  /** The loader writes 0 for a latency of nothing, and a logarithm knows none. */
  private static List<Point> positive(List<Point> points) {
    return points.stream().map(one -> one.y() > 0 ? one : new Point(one.x(), Double.NaN)).toList();
  }

  private static Series line(String name, String colour, List<Point> points) {
    return new Series(name, colour, LINE, points);
  }

  private static Series area(String unit, List<Point> points) {
    return new Series(unit, unit, AREA, points);
  }

  private static Series onlyIfAny(Series series) {
    return series.max() > 0 ? series : line(series.name(), series.colour(), List.of());
  }

  private Figure figure(String metric, String title, Pane... panes) {
    double from =
        point.record().path("steadyStartEpochMs").asDouble(Double.NaN) - point.startEpochMs();
    double to = from / 1000 + point.record().path("steadySeconds").asDouble(Double.NaN);
    return new Figure(
            id + "-" + metric, title, point.label(), Axis.SECONDS, from / 1000, to, List.of(panes))
        .pruned();
  }
}
