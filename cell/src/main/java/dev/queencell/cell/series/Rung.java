package dev.queencell.cell.series;

/**
 * A ladder's step that was measured.
 *
 * @param ratePerSec what was asked for
 */
record Rung(double ratePerSec, MeasuredPoint point, LadderPlan plan) {
  /** Why a step does not count, worst first. */
  enum Outcome {
    /** Messages are not accounted for. */
    VERDICT,
    /** Less was pushed or delivered than was offered. */
    ACHIEVED,
    /** All arrived, but late. */
    P99,
    PASSED
  }

  /** The smaller of what was accepted and what was delivered, by what was offered; 0 to about 1. */
  double achievedShare() {
    return Math.min(point.number("achievedPushPerSec"), point.number("deliveredPerSec"))
        / point.number("offeredPerSec");
  }

  double p99Ms() {
    return point.number("latencyMs.p99");
  }

  /** A number that is not known passes nothing. */
  Outcome outcome() {
    if (!point.isVerified()) {
      return Outcome.VERDICT;
    }
    if (!(achievedShare() >= plan.achievedShareMin())) {
      return Outcome.ACHIEVED;
    }
    return p99Ms() <= plan.p99LimitMs() ? Outcome.PASSED : Outcome.P99;
  }

  boolean passes() {
    return outcome() == Outcome.PASSED;
  }

  /** Why it does not count, in words; empty when it does. */
  String failure() {
    return switch (outcome()) {
      case VERDICT ->
          "verdict " + (point.text("verdict").isEmpty() ? "missing" : point.text("verdict"));
      case ACHIEVED -> "achieved " + Numbers.percent(achievedShare()) + " of offered";
      case P99 ->
          "p99 %s ms over %s ms"
              .formatted(Numbers.rounded(p99Ms(), 0), Rates.plain(plan.p99LimitMs()));
      case PASSED -> "";
    };
  }
}
