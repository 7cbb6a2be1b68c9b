package dev.queencell.cell.sample;

import java.util.Map;

/**
 * One line of a sample file: what happened in the span that ended at this instant, and what held at
 * that instant.
 *
 * @param monotonicMs since the sampler started; never steps
 * @param epochMs the wall clock at the same instant; may step
 * @param spanMs how long the line's increases took; 0 for a first line, which has none
 * @param labels what the line is about, such as the unit
 * @param values by column; a number that is not known is absent
 */
public record Sample(
    long monotonicMs,
    long epochMs,
    long spanMs,
    Map<String, String> labels,
    Map<String, Long> values) {

  /** A number that is not known. */
  public static final long UNKNOWN = -1;

  public Sample {
    labels = Map.copyOf(labels);
    values = Map.copyOf(values);
  }

  /** The label, empty when the line has none of that name. */
  public String label(String name) {
    return labels.getOrDefault(name, "");
  }

  /** The value, {@link #UNKNOWN} when the line has none of that name. */
  public long value(String name) {
    return values.getOrDefault(name, UNKNOWN);
  }
}
