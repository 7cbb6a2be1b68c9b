package dev.queencell.broker.engine;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * How works come in and how they share commits, by kind, since the start of the process: what waits
 * for its lane and for how long, and how much one commit carries. Thread-safe.
 */
final class WorkMeters {
  private final Map<WorkKind, Counters> byKind = new EnumMap<>(WorkKind.class);

  private static final class Counters {
    final LongAdder arrived = new LongAdder();
    final LongAdder admitted = new LongAdder();
    final LongAdder refused = new LongAdder();
    final LongAdder waitNanos = new LongAdder();
    final LongAdder commits = new LongAdder();
    final LongAdder requests = new LongAdder();
    final LongAdder messages = new LongAdder();
  }

  /** What one commit carried of a kind. */
  private static final class Sum {
    private long requests;
    private long messages;
  }

  WorkMeters() {
    for (var kind : WorkKind.values()) {
      byKind.put(kind, new Counters());
    }
  }

  /** A work waits for its lane from here on. */
  void arrived(Work work) {
    work.arrivedNanos = System.nanoTime();
    byKind.get(work.kind()).arrived.increment();
  }

  /** The lane has taken it up. */
  void admitted(Work work, long nanoTime) {
    var counters = byKind.get(work.kind());
    counters.admitted.increment();
    counters.waitNanos.add(Math.max(0, nanoTime - work.arrivedNanos));
  }

  /** The lane will never take it up. */
  void refused(Work work) {
    byKind.get(work.kind()).refused.increment();
  }

  /** A commit is durable that carried all of these. */
  void committed(List<Work> works) {
    // Summed up here first: a commit carries many works of few kinds.
    var sums = new EnumMap<WorkKind, Sum>(WorkKind.class);
    for (var work : works) {
      var sum = sums.computeIfAbsent(work.kind(), any -> new Sum());
      sum.requests++;
      sum.messages += work.messages();
    }
    sums.forEach(
        (kind, sum) -> {
          var counters = byKind.get(kind);
          counters.requests.add(sum.requests);
          counters.messages.add(sum.messages);
          counters.commits.increment();
        });
  }

  Metering.Works read(WorkKind kind) {
    var counters = byKind.get(kind);
    // Those that left first: what is read later can only be more.
    long left = counters.admitted.sum() + counters.refused.sum();
    return new Metering.Works(
        Math.max(0, counters.arrived.sum() - left),
        counters.admitted.sum(),
        counters.waitNanos.sum(),
        counters.commits.sum(),
        counters.requests.sum(),
        counters.messages.sum());
  }
}
