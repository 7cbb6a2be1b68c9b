package dev.queencell.broker.engine;

import dev.queencell.broker.engine.Analytics.Liveness;
import dev.queencell.broker.engine.Analytics.QueueNow;
import dev.queencell.broker.store.HistoryReader.Scope;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/** What a lane tells of its queues for analytics. */
final class AnalyticsTasks {
  private static final long MICROS_PER_HOUR = 3_600_000_000L;
  private static final long MICROS_PER_DAY = 24 * MICROS_PER_HOUR;
  private static final long MICROS_PER_WEEK = 7 * MICROS_PER_DAY;

  private AnalyticsTasks() {}

  static boolean matches(Queue queue, Scope scope) {
    return (scope.tenant() == null || scope.tenant().equals(queue.key.tenant()))
        && (scope.queue() == null || scope.queue().equals(queue.key.name()))
        && (scope.namespace() == null || scope.namespace().equals(queue.namespace))
        && (scope.task() == null || scope.task().equals(queue.task));
  }

  static List<QueueNow> now(Lane lane, Scope scope) {
    var found = new ArrayList<QueueNow>();
    for (var queue : lane.directory.queues()) {
      if (matches(queue, scope)) {
        var view = QueueTasks.view(queue, null, false);
        int leases = 0;
        for (var partition : queue.partitions.values()) {
          for (var cursor : partition.cursors()) {
            leases += cursor.lease != null ? 1 : 0;
          }
        }
        found.add(
            new QueueNow(
                queue.key.tenant(),
                queue.key.name(),
                queue.namespace,
                queue.task,
                view.partitionCount(),
                view.retained(),
                view.pending(),
                view.processing(),
                view.deadLetters(),
                leases,
                Delivery.parkedOn(queue).size()));
      }
    }
    return found;
  }

  static List<Liveness> liveness(Lane lane, Scope scope) {
    var found = new ArrayList<Liveness>();
    for (var queue : lane.directory.queues()) {
      if (matches(queue, scope)) {
        found.add(liveness(lane, queue));
      }
    }
    return found;
  }

  private static Liveness liveness(Lane lane, Queue queue) {
    long now = lane.createdAtMicros();
    int hour = 0;
    int day = 0;
    int week = 0;
    int created = 0;
    long oldest = Long.MAX_VALUE;
    long newest = 0;
    for (var partition : queue.partitions.values()) {
      long written = partition.newestAtMicros;
      long age = now - written;
      hour += age <= MICROS_PER_HOUR ? 1 : 0;
      day += age <= MICROS_PER_DAY ? 1 : 0;
      week += age <= MICROS_PER_WEEK ? 1 : 0;
      created += now - partition.createdAtMicros <= MICROS_PER_DAY ? 1 : 0;
      if (written > 0) {
        oldest = Math.min(oldest, written);
        newest = Math.max(newest, written);
      }
    }
    return new Liveness(
        queue.key.name(),
        queue.namespace,
        queue.task,
        queue.partitions.size(),
        hour,
        day,
        week,
        created,
        newest == 0 ? null : instant(oldest),
        newest == 0 ? null : instant(newest),
        QueueTasks.view(queue, null, false).pending());
  }

  private static Instant instant(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }
}
