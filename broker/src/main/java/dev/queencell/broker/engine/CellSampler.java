package dev.queencell.broker.engine;

import dev.queencell.broker.store.Rows.CellMinuteRow;

/**
 * Takes one sample of what the process uses for a minute in which a lane writes anyway: an idle
 * cell has no samples, and needs none. Thread-safe; one per term.
 */
final class CellSampler {
  private static final double MICROS_PER_SECOND = 1e6;
  private static final double NANOS_PER_SECOND = 1e9;

  private final CellTerm term;
  private int minute;
  private long cpuMicros;
  private long atNanos = System.nanoTime();

  CellSampler(CellTerm term) {
    this.term = term;
    this.cpuMicros = cpuMicros();
  }

  /** The sample of a minute, for whoever asks first; null for all others. */
  synchronized CellMinuteRow take(int newMinute) {
    if (newMinute <= minute) {
      return null;
    }
    minute = newMinute;
    long now = System.nanoTime();
    long cpu = cpuMicros();
    double seconds = Math.max(1, now - atNanos) / NANOS_PER_SECOND;
    double percent = 100 * (cpu - cpuMicros) / MICROS_PER_SECOND / seconds;
    cpuMicros = cpu;
    atNanos = now;
    return new CellMinuteRow(
        newMinute,
        percent,
        ProcessUse.residentBytes(),
        ProcessUse.heapBytes(),
        term.sessions(),
        ProcessUse.uptimeMs() / 1_000);
  }

  private static long cpuMicros() {
    var cpu = ProcessUse.cpu();
    return cpu.userMicros() + cpu.systemMicros();
  }
}
