package dev.queencell.cell.soak;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * What is watched, each with its rule. The shares leave room for what a healthy cell does within
 * hours; the smallest changes keep small numbers from being large shares.
 */
record Watched(String column, Trend.Rule rule) {
  private static final double MIB = 1024.0 * 1024;

  /** Checks that are looked at beside all of them, so that a late beginning is seen as well. */
  static final int LATEST_CHECKS = 48;

  static final List<Watched> ALL =
      Stream.concat(
              Stream.of(
                  new Watched(Check.DELIVERED_PER_SEC, new Trend.Rule(false, 0.1, 1)),
                  new Watched(Check.P99_MS, new Trend.Rule(true, 0.5, 20)),
                  new Watched(Check.DATABASE_BYTES, new Trend.Rule(true, 0.1, 64 * MIB)),
                  new Watched(Check.DEAD_TUPLES, new Trend.Rule(true, 0.25, 50_000))),
              Check.PROCESSES.stream()
                  .map(
                      process ->
                          new Watched(
                              process + Check.RESIDENT_BYTES, new Trend.Rule(true, 0.1, 24 * MIB))))
          .toList();

  /** A process that came up again at this many different checks will do so again. */
  private static final int RESTARTING_CHECKS = 2;

  /**
   * One thing that goes on.
   *
   * @param series a column
   * @param trend null for restarts
   * @param text for people
   */
  record Finding(String series, Trend trend, String text) {}

  /**
   * What moves for good.
   *
   * @param checks all of them, in order
   * @param warmUp how many of the first ones count for nothing
   */
  static List<Finding> findings(List<Check> checks, int warmUp) {
    var findings = new ArrayList<Finding>();
    var judged = checks.subList(Math.min(warmUp, checks.size()), checks.size());
    for (var watched : ALL) {
      watched
          .in(judged)
          .or(
              () ->
                  watched.in(
                      judged.subList(Math.max(0, judged.size() - LATEST_CHECKS), judged.size())))
          .ifPresent(findings::add);
    }
    for (var process : Check.PROCESSES) {
      long times = risen(checks, process + Check.RESTARTS);
      if (times >= RESTARTING_CHECKS) {
        findings.add(
            new Finding(
                process + Check.RESTARTS,
                null,
                "%s was restarted before %d of %d checks"
                    .formatted(process, times, checks.size())));
      }
    }
    return findings;
  }

  private java.util.Optional<Finding> in(List<Check> checks) {
    var series =
        checks.stream()
            .map(check -> new Trend.At(check.get(Check.SECONDS), check.get(column)))
            .filter(at -> !Double.isNaN(at.value()) && !Double.isNaN(at.seconds()))
            .toList();
    return Trend.of(series, rule)
        .map(
            trend ->
                new Finding(
                    column,
                    trend,
                    "%s moved by %+.0f in %.1f h, %+.0f an hour (z %.1f)"
                        .formatted(
                            column,
                            trend.change(),
                            (series.getLast().seconds() - series.getFirst().seconds()) / 3600,
                            trend.perHour(),
                            trend.z())));
  }

  private static long risen(List<Check> checks, String column) {
    long times = 0;
    double before = Double.NaN;
    for (var check : checks) {
      double now = check.get(column);
      // What was restarted before the run is none of its business.
      if (now > before) {
        times++;
      }
      before = Double.isNaN(now) ? before : now;
    }
    return times;
  }
}
