package dev.queencell.broker.engine;

import dev.queencell.broker.store.Slice;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Notes that clients keep on their messages. They are found by message and by name, outlive both
 * the message and its queue, and are read by the tenant that wrote them only; when their queue is
 * deleted, they can be found by message only. Thread-safe.
 */
public interface Traces {
  int DATA_BYTES_MAX = 256 * 1024;
  int NAMES_MAX = 32;

  /** Traces of one message that are read at most. */
  int OF_MESSAGE_MAX = 1_000;

  /**
   * A trace to keep; texts are storable and within the limits.
   *
   * @param transactionId UTF-8
   * @param data JSON text
   */
  record NewTrace(
      UUID partitionId,
      Slice transactionId,
      String group,
      String eventType,
      String data,
      List<String> names) {}

  /**
   * A trace.
   *
   * @param queue null when it is gone, or was not looked up; so is {@code partition}
   */
  record Trace(
      UUID id,
      UUID partitionId,
      String transactionId,
      String group,
      String eventType,
      String data,
      List<String> names,
      long createdAtMicros,
      String queue,
      String partition) {}

  /** A name with what was traced under it. */
  record Name(String name, long traces, long messages, long lastMicros) {}

  /**
   * A part of a list.
   *
   * @param total how long the whole list is
   */
  record Page<T>(List<T> rows, long total) {}

  /**
   * Keeps a trace; returns its id after the commit.
   *
   * @param owned whether the partition must be there and the tenant's; empty when it is not
   */
  Optional<UUID> record(UUID tenant, NewTrace trace, boolean owned);

  /** The traces of a message, oldest first. */
  List<Trace> ofMessage(UUID tenant, UUID partitionId, Slice transactionId);

  /** The traces under a name, newest first. */
  Page<Trace> byName(UUID tenant, String name, int limit, int offset);

  /** The names in use, the most recently used first. */
  Page<Name> names(UUID tenant, int limit, int offset);
}
