package dev.queencell.cell.series;

import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Two sides at one rate, round by round. A round counts when both of its points are verified; its
 * difference is taken within the round, so that what drifts over the rounds hits both sides alike.
 *
 * @param rounds those that count
 * @param discarded how many were measured and don't count
 */
record Comparison(double ratePerSec, List<Round> rounds, int discarded) {
  /** The two points of a round. */
  record Round(MeasuredPoint a, MeasuredPoint b) {
    boolean isVerified() {
      return a.isVerified() && b.isVerified();
    }
  }

  Comparison {
    rounds = List.copyOf(rounds);
  }

  /** All rounds that were measured at a rate. */
  static Comparison of(double ratePerSec, List<Round> measured) {
    var counting = measured.stream().filter(Round::isVerified).toList();
    return new Comparison(ratePerSec, counting, measured.size() - counting.size());
  }

  Spread a(Metric metric) {
    return spread(round -> metric.of(round.a()));
  }

  Spread b(Metric metric) {
    return spread(round -> metric.of(round.b()));
  }

  /** a − b; where b is not known, nothing is. */
  Spread difference(Metric metric) {
    return spread(round -> metric.of(round.a()) - metric.of(round.b()));
  }

  /**
   * What a request through the proxy adds to the CPU of the whole cell, in µs: the difference per
   * message over the requests per message that the proxy counted.
   */
  Spread cellCpuPerProxyRequest() {
    return spread(
        round ->
            (Metric.CELL_CPU.of(round.a()) - Metric.CELL_CPU.of(round.b()))
                / Metric.PROXY_REQUESTS.of(round.a()));
  }

  private Spread spread(ToDoubleFunction<Round> value) {
    return Spread.of(rounds.stream().mapToDouble(value));
  }
}
