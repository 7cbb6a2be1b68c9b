package dev.queencell.broker.http;

import dev.queencell.broker.store.HistoryReader.Bucket;
import dev.queencell.broker.store.HistoryReader.Span;
import dev.queencell.broker.store.QueueCount;
import dev.queencell.broker.store.QueueCounts;
import dev.queencell.service.Json;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.node.ObjectNode;

/** How counts over spans of time are written; a lag that nobody sampled is null, never 0. */
final class Buckets {
  private static final double SECONDS_PER_MINUTE = 60;

  private Buckets() {}

  static Span span(Window window) {
    return new Span(window.fromMinute(), window.toMinute(), window.bucketMinutes());
  }

  /** A document that begins with the span it is about. */
  static ObjectNode document(Window window) {
    var document = Json.object();
    document
        .putObject("timeRange")
        .put("from", Times.text(window.from()))
        .put("to", Times.text(window.to()));
    return document.put("bucketMinutes", window.bucketMinutes());
  }

  static String time(int minute) {
    return Times.text(Instant.ofEpochSecond(minute * 60L));
  }

  /** All counts of some buckets in one. */
  static QueueCounts total(Collection<Bucket> buckets) {
    var total = new QueueCounts();
    buckets.forEach(bucket -> total.fold(bucket.counts()));
    return total;
  }

  /** The counts of each bucket's time, over all keys, oldest first. */
  static Map<Integer, QueueCounts> byTime(List<Bucket> buckets) {
    var byTime = new TreeMap<Integer, QueueCounts>();
    for (var bucket : buckets) {
      byTime.computeIfAbsent(bucket.minute(), key -> new QueueCounts()).fold(bucket.counts());
    }
    return byTime;
  }

  /** Writes the counts of traffic, with rates over a number of minutes. */
  static ObjectNode traffic(ObjectNode node, QueueCounts counts, double minutes) {
    for (var count :
        List.of(
            QueueCount.PUSH_REQUESTS,
            QueueCount.PUSH_MESSAGES,
            QueueCount.POP_MESSAGES,
            QueueCount.POP_EMPTY,
            QueueCount.ACK_REQUESTS,
            QueueCount.ACK_SUCCESS,
            QueueCount.ACK_FAILED,
            QueueCount.TRANSACTIONS,
            QueueCount.PARTITIONS_CREATED,
            QueueCount.PARTITIONS_DELETED,
            QueueCount.PARTITION_COUNT)) {
      node.put(name(count), counts.get(count));
    }
    lag(node, counts);
    rate(node, "pushPerSecond", counts.get(QueueCount.PUSH_MESSAGES), minutes);
    rate(node, "popPerSecond", counts.get(QueueCount.POP_MESSAGES), minutes);
    rate(node, "ackPerSecond", counts.get(QueueCount.ACK_SUCCESS), minutes);
    rate(node, "emptyPerSecond", counts.get(QueueCount.POP_EMPTY), minutes);
    return node.put("parkedCount", counts.get(QueueCount.PARKED));
  }

  static ObjectNode lag(ObjectNode node, QueueCounts counts) {
    long samples = counts.get(QueueCount.POPS);
    if (samples == 0) {
      return node.putNull("avgLagMs").putNull("maxLagMs");
    }
    return node.put("avgLagMs", (double) counts.get(QueueCount.LAG_MILLIS) / samples)
        .put("maxLagMs", counts.get(QueueCount.LAG_MILLIS_MAX));
  }

  static ObjectNode retention(ObjectNode node, QueueCounts counts) {
    long aged = counts.get(QueueCount.RETENTION_MESSAGES);
    long completed = counts.get(QueueCount.COMPLETED_RETENTION_MESSAGES);
    long evicted = counts.get(QueueCount.EVICTION_MESSAGES);
    return node.put("retentionMsgs", aged)
        .put("completedRetentionMsgs", completed)
        .put("evictionMsgs", evicted)
        .put("totalMsgs", aged + completed + evicted)
        .put("eventCount", counts.get(QueueCount.RETENTION_EVENTS));
  }

  static void rate(ObjectNode node, String name, long count, double minutes) {
    node.put(name, count / (minutes * SECONDS_PER_MINUTE));
  }

  /** The count's name in camelCase. */
  private static String name(QueueCount count) {
    var text = new StringBuilder();
    boolean raised = false;
    for (char c : count.name().toCharArray()) {
      if (c == '_') {
        raised = true;
      } else {
        text.append(raised ? c : Character.toLowerCase(c));
        raised = false;
      }
    }
    return text.toString();
  }
}
