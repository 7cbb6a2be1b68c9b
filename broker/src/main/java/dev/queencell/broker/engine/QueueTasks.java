package dev.queencell.broker.engine;

import dev.queencell.broker.engine.QueueView.PartitionView;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import tools.jackson.databind.node.ObjectNode;

/**
 * What management asks of a queue, run on its lane. Counts come from watermarks: their cost follows
 * the number of partitions, never the number of messages.
 */
final class QueueTasks {
  private QueueTasks() {}

  static QueueView configure(
      Lane lane,
      UUID tenant,
      String name,
      String namespace,
      String task,
      ObjectNode changes,
      boolean replace) {
    var queue = lane.directory.find(tenant, name);
    var options = OptionsJson.apply(queue == null ? null : queue.options, changes, replace);
    lane.sealing.check(options);
    if (queue == null) {
      queue = lane.directory.create(tenant, name, orEmpty(namespace), orEmpty(task), options);
    } else {
      queue.change(options);
      queue.namespace = changed(queue.namespace, namespace, replace);
      queue.task = changed(queue.task, task, replace);
      lane.directory.write(queue);
      // What the options of before hid may show now.
      for (var partition : queue.partitions.values()) {
        lane.expiry.watchAnew(partition);
        for (var cursor : partition.cursors()) {
          lane.delivery.endRest(cursor);
          lane.delivery.ready(cursor);
        }
      }
      // It may be another namespace's now.
      lane.delivery.discovery().touch(tenant);
    }
    return view(queue, null, false);
  }

  private static String changed(String current, String wished, boolean replace) {
    if (wished != null && !wished.isEmpty()) {
      return wished;
    }
    return replace ? "" : current;
  }

  private static String orEmpty(String text) {
    return text == null ? "" : text;
  }

  static List<QueueView> views(Lane lane, UUID tenant) {
    var views = new ArrayList<QueueView>();
    for (var queue : lane.directory.queues()) {
      if (queue.key.tenant().equals(tenant)) {
        views.add(view(queue, null, false));
      }
    }
    return views;
  }

  static Optional<QueueView> detail(Lane lane, UUID tenant, String name, String groupName) {
    var queue = lane.directory.find(tenant, name);
    return queue == null ? Optional.empty() : Optional.of(view(queue, groupName, true));
  }

  static boolean delete(Lane lane, UUID tenant, String name) throws SQLException {
    var queue = lane.directory.find(tenant, name);
    if (queue == null) {
      return false;
    }
    // What was decided before is committed first; the deletion is a commit of its own.
    lane.flush(System.nanoTime());
    for (var pop : Delivery.parkedOn(queue)) {
      lane.delivery.leave(pop);
      pop.endEmpty();
    }
    lane.delivery.leases().drop(queue);
    lane.history.drop(queue);
    lane.dropFromCheckpoint(queue);
    lane.dedup.drop(queue);
    lane.dropFromCache(queue);
    lane.expiry.drop(queue);
    lane.directory.remove(queue);
    lane.commit().deleteQueue(queue.id);
    lane.flush(System.nanoTime());
    lane.term().retention().reclaim();
    return true;
  }

  static QueueView view(Queue queue, String groupName, boolean withPartitions) {
    long retained = 0;
    long pending = 0;
    long processing = 0;
    long segments = 0;
    long retainedBytes = 0;
    long deadLetters = 0;
    var partitions = new ArrayList<PartitionView>();
    for (var partition : queue.partitions.values()) {
      var view = view(partition, groupName);
      retained += view.retained();
      pending += view.pending();
      processing += view.processing();
      segments += view.segments();
      retainedBytes += view.retainedBytes();
      deadLetters += view.deadLetters();
      if (withPartitions) {
        partitions.add(view);
      }
    }
    var group = groupName == null ? null : queue.groups.get(groupName);
    partitions.sort(Comparator.comparing(PartitionView::name));
    return new QueueView(
        new UUID(0x8000L, 0x8000_0000_0000_0000L | queue.id),
        queue.key.name(),
        queue.namespace,
        queue.task,
        instant(queue.createdAtMicros),
        queue.options,
        queue.partitions.size(),
        retained,
        pending,
        processing,
        segments,
        retainedBytes,
        deadLetters,
        group != null && group.conflation,
        partitions);
  }

  private static PartitionView view(Partition partition, String groupName) {
    long retained = partition.nextOffset - partition.firstOffset;
    long pending = 0;
    long processing = 0;
    boolean read = false;
    for (var cursor : partition.cursors()) {
      if (groupName == null || cursor.group.name.equals(groupName)) {
        read = true;
        pending = Math.max(pending, cursor.pending());
        processing = Math.max(processing, cursor.processing());
      }
    }
    if (!read) {
      pending = retained;
    }
    return new PartitionView(
        partition.uuid(),
        partition.name,
        instant(partition.createdAtMicros),
        retained,
        pending,
        Math.min(processing, pending),
        partition.segmentCount,
        partition.retainedBytes,
        partition.segmentCount == 0 ? null : instant(partition.oldestAtMicros),
        partition.newestAtMicros == 0 ? null : instant(partition.newestAtMicros),
        partition.deadLetters);
  }

  private static Instant instant(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }
}
