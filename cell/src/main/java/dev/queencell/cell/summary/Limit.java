package dev.queencell.cell.summary;

import java.util.Locale;

/**
 * What kept a point from going faster. The first rule that holds decides:
 *
 * <ol>
 *   <li>{@code nothing}: at least 97% of the offered messages were delivered.
 *   <li>{@code quota}: refusals by quota (status 429 or 403) are at least half of the shortfall.
 *   <li>{@code cpu-cap}: the cell was at its cap: at least 20% of the cap's periods were throttled,
 *       or it used at least 90% of it.
 *   <li>{@code loader}: the loader says that it was saturated, and the cell was not at its cap.
 *   <li>{@code cpu-cap} again: without a cap, cell and loader used at least 90% of the machine.
 *   <li>{@code commits}: what remains. The cell had CPU to spare and still fell behind, so its
 *       requests were waiting, and what they wait for is the shared commit.
 * </ol>
 *
 * <p>A saturated loader makes latencies its own, which the record says in any case. Its lateness is
 * no reason for missing throughput when everything arrived, or when the cell was at its cap: on a
 * small machine both come together, and the cap is what to raise.
 */
enum Limit {
  NOTHING,
  CPU_CAP,
  COMMITS,
  LOADER,
  QUOTA;

  static final double ENOUGH_DELIVERED = 0.97;
  static final double QUOTA_PART = 0.5;
  static final double MUCH_THROTTLED = 0.2;
  static final double CAP_USED = 0.9;

  /**
   * What the rules look at; a number that is not known is NaN, and no rule holds by it.
   *
   * @param capped whether the cell has a cap
   * @param refusedPerSec messages refused by quota
   * @param cpus the cap, or the machine's CPUs where there is none
   * @param coresUsed against {@code cpus}: the cell's, and without a cap the loader's too
   */
  record Evidence(
      boolean loaderSaturated,
      boolean capped,
      double offeredPerSec,
      double deliveredPerSec,
      double refusedPerSec,
      double throttledShare,
      double coresUsed,
      double cpus) {}

  static Limit of(Evidence seen) {
    if (seen.offeredPerSec() > 0
        && seen.deliveredPerSec() >= ENOUGH_DELIVERED * seen.offeredPerSec()) {
      return NOTHING;
    }
    if (seen.refusedPerSec() > 0
        && seen.refusedPerSec() >= QUOTA_PART * (seen.offeredPerSec() - seen.deliveredPerSec())) {
      return QUOTA;
    }
    boolean full = seen.coresUsed() >= CAP_USED * seen.cpus();
    if (seen.throttledShare() >= MUCH_THROTTLED || (seen.capped() && full)) {
      return CPU_CAP;
    }
    if (seen.loaderSaturated()) {
      return LOADER;
    }
    if (full) {
      return CPU_CAP;
    }
    return COMMITS;
  }

  /** As the summary spells it. */
  String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
