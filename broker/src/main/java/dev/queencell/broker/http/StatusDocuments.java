package dev.queencell.broker.http;

import dev.queencell.broker.engine.Analytics.QueueNow;
import dev.queencell.broker.engine.QueueView;
import dev.queencell.broker.engine.QueueView.PartitionView;
import dev.queencell.broker.store.HistoryReader.Bucket;
import dev.queencell.broker.store.QueueCount;
import dev.queencell.broker.store.QueueCounts;
import dev.queencell.service.Json;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The documents about queues at this moment. Nobody counts failures: they are null. */
final class StatusDocuments {
  private StatusDocuments() {}

  /** What some queues hold together. */
  static ObjectNode now(List<QueueNow> queues) {
    return Json.object()
        .put("partitions", sum(queues, QueueNow::partitions))
        .put("total", sum(queues, QueueNow::retained))
        .put("pending", sum(queues, QueueNow::pending))
        .put("processing", sum(queues, QueueNow::processing))
        .put("parked", sum(queues, QueueNow::parked));
  }

  static ObjectNode messages(List<QueueNow> queues) {
    long total = sum(queues, QueueNow::retained);
    long pending = sum(queues, QueueNow::pending);
    return Json.object()
        .put("total", total)
        .put("pending", pending)
        .put("processing", sum(queues, QueueNow::processing))
        .put("completed", Math.max(0, total - pending))
        .putNull("failed")
        .put("deadLetter", sum(queues, QueueNow::deadLetters));
  }

  static long sum(List<QueueNow> queues, ToLongFunction<QueueNow> value) {
    return queues.stream().mapToLong(value).sum();
  }

  /** Groups of queues by a name of theirs. */
  static ObjectNode places(
      List<QueueNow> queues, String list, String name, Function<QueueNow, String> of) {
    var document = Json.object();
    var rows = document.putArray(list);
    var byName = new TreeMap<String, List<QueueNow>>();
    for (var queue : queues) {
      byName.computeIfAbsent(of.apply(queue), key -> new ArrayList<>()).add(queue);
    }
    byName.forEach(
        (key, own) -> {
          var row =
              rows.addObject()
                  .put(name, key)
                  .put("queues", own.size())
                  .put("partitions", sum(own, QueueNow::partitions));
          row.putObject("messages")
              .put("total", sum(own, QueueNow::retained))
              .put("pending", sum(own, QueueNow::pending));
        });
    return document;
  }

  /** What flowed, per bucket. */
  static ArrayNode throughput(Map<Integer, QueueCounts> byTime, int widthMinutes) {
    var rows = Json.mapper().createArrayNode();
    byTime.forEach(
        (minute, counts) -> {
          var row =
              rows.addObject()
                  .put("timestamp", Buckets.time(minute))
                  .put("ingested", counts.get(QueueCount.PUSH_MESSAGES))
                  .put("processed", counts.get(QueueCount.ACK_SUCCESS))
                  .put("delivered", counts.get(QueueCount.POP_MESSAGES))
                  .put("failed", counts.get(QueueCount.ACK_FAILED))
                  .put("deadLettered", counts.get(QueueCount.DEAD_LETTERS));
          Buckets.rate(
              row, "ingestedPerSecond", counts.get(QueueCount.PUSH_MESSAGES), widthMinutes);
          Buckets.rate(row, "processedPerSecond", counts.get(QueueCount.ACK_SUCCESS), widthMinutes);
          Buckets.lag(row, counts);
        });
    return rows;
  }

  /** The spread of a number over queues; all null without any. */
  static ObjectNode spread(double[] values) {
    var node = Json.object();
    if (values.length == 0) {
      return node.putNull("avg").putNull("median").putNull("min").putNull("max");
    }
    Arrays.sort(values);
    int middle = values.length / 2;
    double median =
        values.length % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
    return node.put("avg", Arrays.stream(values).average().orElse(0))
        .put("median", median)
        .put("min", values[0])
        .put("max", values[values.length - 1]);
  }

  /** Mean lag of each bucket that has a sample, in seconds. */
  static double[] lagSeconds(List<Bucket> buckets) {
    return buckets.stream()
        .filter(bucket -> bucket.counts().get(QueueCount.POPS) > 0)
        .mapToDouble(
            bucket ->
                (double) bucket.counts().get(QueueCount.LAG_MILLIS)
                    / bucket.counts().get(QueueCount.POPS)
                    / 1_000)
        .toArray();
  }

  static ObjectNode queueRow(QueueView queue) {
    var row = identity(queue).put("partitions", queue.partitionCount());
    row.set(
        "messages",
        stats(queue.retained(), queue.pending(), queue.processing(), queue.deadLetters()));
    return row;
  }

  static ObjectNode identity(QueueView queue) {
    return Json.object()
        .put("id", queue.id().toString())
        .put("name", queue.name())
        .put("namespace", queue.namespace())
        .put("task", queue.task())
        .put("createdAt", Times.text(queue.createdAt()));
  }

  static ObjectNode detail(QueueView queue) {
    var document = Json.object();
    var head = identity(queue);
    var options = queue.options();
    head.putObject("config")
        .put("leaseTime", options.leaseTime())
        .put("retryLimit", options.retryLimit())
        .put("ttl", options.ttl())
        .put("maxSize", options.maxSize())
        .put("delayedProcessing", options.delayedProcessing())
        .put("windowBuffer", options.windowBuffer());
    document.set("queue", head);
    var partitions = document.putArray("partitions");
    for (var partition : queue.partitions()) {
      partitions.add(partition(partition));
    }
    document.set(
        "totals",
        stats(queue.retained(), queue.pending(), queue.processing(), queue.deadLetters()));
    return document;
  }

  private static ObjectNode partition(PartitionView partition) {
    var row =
        Json.object()
            .put("id", partition.id().toString())
            .put("name", partition.name())
            .put("createdAt", Times.text(partition.createdAt()));
    for (var name : List.of("messages", "stats")) {
      row.set(
          name,
          stats(
              partition.retained(),
              partition.pending(),
              partition.processing(),
              partition.deadLetters()));
    }
    row.putObject("cursor").put("batchesConsumed", 0);
    return row.put("lastActivity", time(partition.newestMessage()))
        .put("oldestMessage", time(partition.oldestMessage()))
        .put("newestMessage", time(partition.newestMessage()));
  }

  private static String time(Instant instant) {
    return instant == null ? null : Times.text(instant);
  }

  private static ObjectNode stats(long retained, long pending, long processing, long deadLetters) {
    return Json.object()
        .put("total", retained)
        .put("pending", pending)
        .put("processing", processing)
        .put("completed", Math.max(0, retained - pending))
        .putNull("failed")
        .put("deadLetter", deadLetters);
  }
}
