package dev.queencell.cell.summary;

import dev.queencell.cell.sample.Sample;
import java.util.ArrayList;
import java.util.List;

/**
 * Where the sampler was silent inside the window.
 *
 * @param gaps each with the instant after which nothing came, by the sampler's monotonic clock
 * @param coverage the part of the window's seconds that has a sample, 0 to 1
 */
record Gaps(List<Gap> gaps, double coverage) {
  /** Two samples further apart than this many intervals have a second missing between them. */
  private static final double TOLERATED_INTERVALS = 1.5;

  /**
   * One silence.
   *
   * @param seconds how many samples are missing
   */
  record Gap(long afterMs, long seconds) {}

  static Gaps in(Window window, List<Sample> samples, long intervalMs) {
    var gaps = new ArrayList<Gap>();
    long last = window.startMs();
    for (var sample : samples) {
      if (sample.monotonicMs() > last && sample.monotonicMs() <= window.endMs()) {
        note(gaps, last, sample.monotonicMs(), intervalMs);
        last = sample.monotonicMs();
      }
    }
    note(gaps, last, window.endMs(), intervalMs);
    long missing = gaps.stream().mapToLong(Gap::seconds).sum();
    double wanted = Math.max(1, (window.endMs() - window.startMs()) / (double) intervalMs);
    return new Gaps(gaps, Math.max(0, 1 - missing / wanted));
  }

  private static void note(List<Gap> gaps, long from, long to, long intervalMs) {
    if (to - from > TOLERATED_INTERVALS * intervalMs) {
      gaps.add(new Gap(from, Math.round((to - from) / (double) intervalMs) - 1));
    }
  }
}
