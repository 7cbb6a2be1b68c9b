package dev.queencell.cell.sample;

/**
 * Turns readings of a cumulative counter into increases. A counter that began again at 0 (its
 * generation changed, or it went down) has increased by what it shows now: what was counted between
 * the last reading and the reset is lost, and never shows as a negative number.
 *
 * <p>Not thread-safe.
 */
final class Counter {
  private String generation = "";
  private long last = Sample.UNKNOWN;

  /**
   * Takes the next reading.
   *
   * @param currentGeneration names what is counted; a new name means a new start at 0
   * @param reading {@link Sample#UNKNOWN} when there is none; the next reading then counts from the
   *     last known one
   * @return the increase since the last known reading; {@link Sample#UNKNOWN} for the first and
   *     without a reading
   */
  long increase(String currentGeneration, long reading) {
    if (reading == Sample.UNKNOWN) {
      return Sample.UNKNOWN;
    }
    long increase;
    if (last == Sample.UNKNOWN) {
      increase = Sample.UNKNOWN;
    } else if (!currentGeneration.equals(generation) || reading < last) {
      increase = reading;
    } else {
      increase = reading - last;
    }
    generation = currentGeneration;
    last = reading;
    return increase;
  }
}
