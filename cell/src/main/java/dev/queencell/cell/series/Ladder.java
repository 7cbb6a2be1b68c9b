package dev.queencell.cell.series;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Climbs rates until the cell is at its ceiling, and says where that is.
 *
 * <p>A step passes when its verdict does, at least 97% of what was offered was pushed and
 * delivered, and p99 is within its limit. The climb ends at the first step that fails by verdict or
 * by throughput, or at the second in a row that fails by p99 alone: on a shared machine one late
 * second is an accident, two steps are not. Then a few rates between the highest that passed and
 * the next that did not narrow the gap. The ceiling is the highest rate that passed.
 *
 * <p>Holds no state of its own: the plan and the steps that were measured say what comes next, so
 * that an interrupted ladder goes on where it ended.
 *
 * @param rungs in ascending order of their rates, each rate once
 */
record Ladder(LadderPlan plan, List<Rung> rungs) {
  private static final int P99_FAILURES_MAX = 2;

  /** Two rates closer than this are one as far as a shared machine can tell. */
  private static final double NARROW_ENOUGH = 1.04;

  Ladder {
    rungs = rungs.stream().sorted(Comparator.comparingDouble(Rung::ratePerSec)).toList();
  }

  /** The rate to be measured next; nothing when the ladder is done. */
  Optional<Double> next() {
    int late = 0;
    for (double rate : plan.rates()) {
      var rung = rung(rate);
      if (rung.isEmpty()) {
        return Optional.of(rate);
      }
      late = rung.get().outcome() == Rung.Outcome.P99 ? late + 1 : 0;
      if (late == P99_FAILURES_MAX || rung.get().outcome().compareTo(Rung.Outcome.P99) < 0) {
        break;
      }
    }
    return refinement();
  }

  /** The highest step that passed. */
  Optional<Rung> ceiling() {
    return rungs.stream().filter(Rung::passes).reduce((lower, higher) -> higher);
  }

  /** The lowest step above the ceiling; nothing when no step above it was measured. */
  Optional<Rung> limit() {
    double ceiling = ceiling().map(Rung::ratePerSec).orElse(0.0);
    return rungs.stream().filter(rung -> rung.ratePerSec() > ceiling).findFirst();
  }

  /**
   * What the step above the ceiling failed by: {@code verdict}, {@code latency} when everything
   * arrived, else what limited that point. Empty when nothing failed.
   */
  String limitedBy() {
    return limit()
        .map(
            rung ->
                switch (rung.outcome()) {
                  case VERDICT -> "verdict";
                  case P99 -> "latency";
                  case ACHIEVED, PASSED -> rung.point().text("limitedBy");
                })
        .orElse("");
  }

  private Optional<Double> refinement() {
    long done = rungs.stream().filter(rung -> !plan.rates().contains(rung.ratePerSec())).count();
    var low = ceiling();
    var high = limit();
    if (done >= plan.refine() || low.isEmpty() || high.isEmpty()) {
      return Optional.empty();
    }
    double lowRate = low.get().ratePerSec();
    double highRate = high.get().ratePerSec();
    return highRate / lowRate < NARROW_ENOUGH
        ? Optional.empty()
        : Optional.of(Rates.between(lowRate, highRate));
  }

  private Optional<Rung> rung(double rate) {
    return rungs.stream().filter(rung -> rung.ratePerSec() == rate).findFirst();
  }
}
