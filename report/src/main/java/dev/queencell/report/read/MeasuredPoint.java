package dev.queencell.report.read;

import dev.queencell.cell.sample.Sample;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * Everything that is known of one point.
 *
 * @param label names the point in this report: its run id, with its folder where two have the same
 * @param runId its own name in its folder
 * @param folder where its files lie
 * @param summary empty when there is none
 * @param record the loader's; empty when there is none
 * @param sampler what the sampler says of itself; empty when it left nothing
 * @param metrics the largest value of each series of the services' own metrics
 * @param problems what could not be read, in words
 */
public record MeasuredPoint(
    String label,
    String runId,
    String folder,
    JsonNode summary,
    JsonNode record,
    JsonNode sampler,
    List<Sample> usage,
    List<Sample> database,
    List<Sample> waits,
    List<Interval> intervals,
    Latencies latencies,
    Shape shape,
    Map<String, Double> metrics,
    List<String> problems) {

  /** A value of the summary, of the record where the summary lacks it; a missing node otherwise. */
  public JsonNode value(String key) {
    var node = summary.path(key);
    return node.isMissingNode() || node.isNull() ? record.path(key) : node;
  }

  /** A number by its path from the summary; NaN when it is not known. */
  public double number(String... path) {
    var node = value(path[0]);
    for (int i = 1; i < path.length; i++) {
      node = node.path(path[i]);
    }
    return node.isNumber() ? node.doubleValue() : Double.NaN;
  }

  /** A text of the summary; empty when there is none. */
  public String text(String key) {
    return value(key).asString("");
  }

  public boolean flag(String key) {
    return value(key).asBoolean(false);
  }

  /** The samples of one unit, in the order they were taken. */
  public List<Sample> unit(String unit) {
    return usage.stream().filter(sample -> sample.label("unit").equals(unit)).toList();
  }

  /**
   * When the load began, by the wall clock (without a log: the steady window); NaN when it is not
   * known.
   */
  public double startEpochMs() {
    double steady = record.path("steadyStartEpochMs").asDouble(Double.NaN);
    return Double.isFinite(latencies.startEpochMs()) ? latencies.startEpochMs() : steady;
  }

  /** How often samples were meant to be taken. */
  public long intervalMs() {
    return Math.max(1, sampler.path("intervalMs").asLong(1000));
  }
}
