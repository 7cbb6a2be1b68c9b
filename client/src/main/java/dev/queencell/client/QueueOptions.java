package dev.queencell.client;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Options to set on a queue; what is not set keeps its value. Immutable.
 *
 * <p>The names on the wire are the broker's own: see its contract for what each does.
 */
public final class QueueOptions {
  /** Sets nothing: creates the queue with the broker's defaults where it doesn't exist. */
  public static final QueueOptions UNCHANGED = new QueueOptions(Map.of());

  private final Map<String, Object> values;

  private QueueOptions(Map<String, Object> values) {
    this.values = values;
  }

  public QueueOptions leaseSeconds(int seconds) {
    return with("leaseTime", seconds);
  }

  public QueueOptions retryLimit(int retries) {
    return with("retryLimit", retries);
  }

  public QueueOptions deadLetterQueue(boolean on) {
    return with("deadLetterQueue", on).with("dlqAfterMaxRetries", on);
  }

  /** How long messages live, consumed or not; 0 keeps them. Switches retention on. */
  public QueueOptions retentionSeconds(int seconds) {
    return with("retentionSeconds", seconds).with("retentionEnabled", true);
  }

  /** How long messages live that every group has completed; 0 keeps them. */
  public QueueOptions completedRetentionSeconds(int seconds) {
    return with("completedRetentionSeconds", seconds).with("retentionEnabled", true);
  }

  /** 0 switches deduplication off. */
  public QueueOptions dedupWindowSeconds(int seconds) {
    return with("dedupWindowSeconds", seconds);
  }

  public QueueOptions minPopWaitMs(int waitMs) {
    return with("minPopWaitTime", waitMs);
  }

  public QueueOptions delayedProcessingSeconds(int seconds) {
    return with("delayedProcessing", seconds);
  }

  public QueueOptions windowBufferSeconds(int seconds) {
    return with("windowBuffer", seconds);
  }

  public QueueOptions namespace(String namespace) {
    return with("namespace", namespace);
  }

  public QueueOptions task(String task) {
    return with("task", task);
  }

  /** Any other option by its name on the wire. */
  public QueueOptions with(String name, Object value) {
    var changed = new LinkedHashMap<>(values);
    changed.put(name, value);
    return new QueueOptions(changed);
  }

  Map<String, Object> values() {
    return values;
  }
}
