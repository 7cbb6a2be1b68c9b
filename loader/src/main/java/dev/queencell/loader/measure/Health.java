package dev.queencell.loader.measure;

/**
 * Whether the loader measured the server or itself, over the steady window.
 *
 * @param cores CPU used, in cores
 * @param availableCores CPUs that the JVM may use
 * @param latenessP99Micros how late pushes left after they were due
 * @param lateEvents events that the pacer itself served more than 5 ms late
 */
public record Health(
    double cores,
    int availableCores,
    long gcMs,
    long gcCount,
    long latenessP99Micros,
    long latenessMaxMicros,
    long lateEvents) {
  private static final long LATENESS_P99_MAX_MICROS = 5_000;
  private static final double CPU_SHARE_MAX = 0.85;

  /** Reads the window's numbers. */
  public static Health of(Usage start, Usage end, Latencies latencies, long lateEvents) {
    var lateness = latencies.steady(Series.LATENESS);
    return new Health(
        end.coresSince(start),
        Runtime.getRuntime().availableProcessors(),
        end.gcMs() - start.gcMs(),
        end.gcCount() - start.gcCount(),
        lateness.getValueAtPercentile(99),
        lateness.getTotalCount() == 0 ? 0 : lateness.getMaxValue(),
        lateEvents);
  }

  /** A saturated loader measures itself. */
  public boolean saturated() {
    return latenessP99Micros > LATENESS_P99_MAX_MICROS || cores > CPU_SHARE_MAX * availableCores;
  }

  /** The reason in words; empty when it is not saturated. */
  public String saturation() {
    if (latenessP99Micros > LATENESS_P99_MAX_MICROS) {
      return "pushes left %.1f ms late at p99 (limit %d ms)"
          .formatted(latenessP99Micros / 1000.0, LATENESS_P99_MAX_MICROS / 1000);
    }
    return saturated()
        ? "the loader used %.2f of its %d CPUs".formatted(cores, availableCores)
        : "";
  }
}
