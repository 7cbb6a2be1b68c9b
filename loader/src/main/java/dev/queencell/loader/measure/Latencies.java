package dev.queencell.loader.measure;

import java.util.EnumMap;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/**
 * Two histograms per series, in µs: one since the last report, for the interval files, and one of
 * what was scheduled in the steady window. Recording is wait-free and thread-safe; the rest belongs
 * to the reporting thread.
 */
public final class Latencies {
  private static final long HIGHEST_MICROS = 3_600_000_000L;
  private static final int SIGNIFICANT_DIGITS = 3;

  private final Map<Series, Recorder> interval = new EnumMap<>(Series.class);
  private final Map<Series, Recorder> steady = new EnumMap<>(Series.class);
  private final Map<Series, Histogram> steadyTotal = new EnumMap<>(Series.class);
  private final Map<Series, Histogram> recycled = new EnumMap<>(Series.class);

  public Latencies() {
    for (var series : Series.values()) {
      interval.put(series, new Recorder(HIGHEST_MICROS, SIGNIFICANT_DIGITS));
      steady.put(series, new Recorder(HIGHEST_MICROS, SIGNIFICANT_DIGITS));
      steadyTotal.put(series, new Histogram(HIGHEST_MICROS, SIGNIFICANT_DIGITS));
    }
  }

  /** Notes a duration; outside the histogram's range it is clamped. */
  public void record(Series series, long nanos, boolean inSteady) {
    long micros = Math.clamp(nanos / 1000, 0, HIGHEST_MICROS);
    interval.get(series).recordValue(micros);
    if (inSteady) {
      steady.get(series).recordValue(micros);
    }
  }

  /** What was recorded since the last call; valid until the next. */
  Histogram takeInterval(Series series) {
    var histogram = interval.get(series).getIntervalHistogram(recycled.get(series));
    recycled.put(series, histogram);
    return histogram;
  }

  /** Everything of the steady window so far. */
  public Histogram steady(Series series) {
    var total = steadyTotal.get(series);
    total.add(steady.get(series).getIntervalHistogram());
    return total;
  }
}
