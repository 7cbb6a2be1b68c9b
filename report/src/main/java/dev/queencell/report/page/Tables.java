package dev.queencell.report.page;

import static dev.queencell.report.page.Table.Column.number;
import static dev.queencell.report.page.Table.Column.text;

import dev.queencell.report.figure.Comparison;
import dev.queencell.report.figure.Comparison.Spread;
import dev.queencell.report.figure.Figure.Unit;
import dev.queencell.report.figure.Ladder;
import dev.queencell.report.read.MeasuredPoint;
import java.util.List;

/** The tables of numbers. */
final class Tables {
  static final List<String> UNITS = List.of("broker", "proxy", "state", "pg", "statepg");

  private Tables() {}

  static Table points(List<MeasuredPoint> points) {
    var table =
        Table.of(
            text("point"),
            text("verdict"),
            text("target"),
            number("offered"),
            number("pushed"),
            number("delivered"),
            number("p50"),
            number("p99"),
            number("max"),
            number("cell CPUs"),
            number("CPU/msg"),
            number("commits/msg"),
            text("limited by"));
    for (var point : points) {
      table.row(
          point.label(),
          Findings.verdict(point),
          known(point.text("target")),
          Units.perSecond(point.number("offeredPerSec")),
          Units.perSecond(point.number("achievedPushPerSec")),
          Units.perSecond(point.number("deliveredPerSec")),
          Units.ms(point.number("latencyMs", "p50")),
          Units.ms(point.number("latencyMs", "p99")),
          Units.ms(point.number("latencyMs", "max")),
          ofCap(point),
          Units.micros(point.number("cellCpuMicrosPerMessage")),
          Units.digits(point.number("commitsPerMessage")),
          Findings.limit(point));
    }
    return table;
  }

  private static String ofCap(MeasuredPoint point) {
    double cap = point.number("capCpus");
    var used = Units.digits(point.number("cellCores"));
    return Double.isFinite(cap) ? "%s of %s".formatted(used, plain(cap)) : used;
  }

  private static String plain(double value) {
    return value == Math.rint(value) ? Units.count(value) : Units.digits(value);
  }

  /** What each process spent on a message. */
  static Table costs(List<MeasuredPoint> points) {
    var table =
        Table.of(
            text("CPU per delivered message"),
            number("broker"),
            number("proxy"),
            number("state"),
            number("pg"),
            number("statepg"),
            number("cell"),
            number("WAL/msg"),
            number("mean sync"),
            number("loader CPUs"));
    for (var point : points) {
      table.row(
          point.label(),
          cost(point, 0),
          cost(point, 1),
          cost(point, 2),
          cost(point, 3),
          cost(point, 4),
          Units.micros(point.number("cellCpuMicrosPerMessage")),
          Units.bytes(point.number("walBytesPerMessage")),
          Units.ms(point.number("walFsyncMicrosMean") / 1000),
          Units.digits(point.number("loaderCores")));
    }
    return table;
  }

  private static String cost(MeasuredPoint point, int unit) {
    return Units.micros(point.number("cpuMicrosPerMessage", UNITS.get(unit)));
  }

  /** The steps of a ladder, with what each failed by. */
  static Table ladder(Ladder ladder) {
    var table =
        Table.of(
            text("step"),
            text("result"),
            number("pushed"),
            number("delivered"),
            number("achieved"),
            number("p50"),
            number("p99"),
            number("cell CPUs"),
            number("CPU/msg"),
            text("limited by"));
    for (var step : ladder.steps()) {
      table.row(
          Units.perSecond(step.ratePerSec()),
          step.failure().isEmpty() ? "✓ passed" : "✗ " + step.failure(),
          Units.perSecond(step.pushedPerSec()),
          Units.perSecond(step.deliveredPerSec()),
          Units.share(step.achievedShare()),
          Units.ms(step.p50Ms()),
          Units.ms(step.p99Ms()),
          Units.digits(step.cellCores()),
          Units.micros(step.cellCpuMicrosPerMessage()),
          Findings.limit(step.limitedBy(), step.throttledShare()));
    }
    return table;
  }

  /** Medians over the rounds, with the least and the largest where there are several. */
  static Table comparison(Comparison comparison) {
    var table =
        Table.of(
            text(rounds(comparison.rounds().size())),
            number(comparison.b()),
            number(comparison.a()),
            number("%s − %s".formatted(comparison.a(), comparison.b())),
            number("least"),
            number("largest"));
    for (var measure : Comparison.MEASURES) {
      var unit = measure.unit();
      var difference = comparison.difference(measure);
      table.row(
          measure.name(),
          spread(unit, comparison.ofB(measure)),
          spread(unit, comparison.ofA(measure)),
          Units.signed(unit, difference.median()),
          Units.signed(unit, difference.least()),
          Units.signed(unit, difference.largest()));
    }
    return table;
  }

  /** {@code 150 µs (130 µs to 900 µs)}; a single round has no spread. */
  static String spread(Unit unit, Spread spread) {
    var median = Units.of(unit, spread.median());
    return spread.least() < spread.largest()
        ? "%s (%s to %s)"
            .formatted(median, Units.of(unit, spread.least()), Units.of(unit, spread.largest()))
        : median;
  }

  private static String rounds(int count) {
    return count == 1 ? "of one round" : "median of %d rounds".formatted(count);
  }

  static String known(String text) {
    return text.isEmpty() ? Units.UNKNOWN : text;
  }
}
