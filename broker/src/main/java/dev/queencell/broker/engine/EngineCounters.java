package dev.queencell.broker.engine;

import java.util.concurrent.atomic.LongAdder;

/** What has happened since the process started, over all terms. Thread-safe. */
final class EngineCounters {
  final LongAdder pushRequests = new LongAdder();
  final LongAdder pushMessages = new LongAdder();
  final LongAdder popRequests = new LongAdder();
  final LongAdder popMessages = new LongAdder();
  final LongAdder popEmpty = new LongAdder();
  final LongAdder ackRequests = new LongAdder();
  final LongAdder ackMessages = new LongAdder();
  final LongAdder ackFailed = new LongAdder();
  final LongAdder leasesExpired = new LongAdder();
  final LongAdder redeliveries = new LongAdder();
  final LongAdder coldReads = new LongAdder();
  final LongAdder takeovers = new LongAdder();
  final LongAdder parked = new LongAdder();
  final Widths autopilotOn = new Widths();
  final Widths autopilotShadow = new Widths();
  final WorkMeters works = new WorkMeters();
  final TenantMeters tenants = new TenantMeters();
  private final LongAdder commits = new LongAdder();
  private final LongAdder commitMessages = new LongAdder();
  private final LongAdder commitNanos = new LongAdder();

  /** What autopilot chose. */
  static final class Widths {
    private final LongAdder pops = new LongAdder();
    private final LongAdder partitions = new LongAdder();

    void chose(int width) {
      pops.increment();
      partitions.add(width);
    }

    Metering.Autopilot read() {
      return new Metering.Autopilot(pops.sum(), partitions.sum());
    }
  }

  void committed(long nanos, int messages) {
    commits.increment();
    commitNanos.add(nanos);
    commitMessages.add(messages);
  }

  EngineStats snapshot(long queues, long partitions, long tailCacheBytes, long inboxBytes) {
    return new EngineStats(
        pushRequests.sum(),
        pushMessages.sum(),
        popRequests.sum(),
        popMessages.sum(),
        popEmpty.sum(),
        ackRequests.sum(),
        ackMessages.sum(),
        ackFailed.sum(),
        leasesExpired.sum(),
        redeliveries.sum(),
        commits.sum(),
        commitMessages.sum(),
        commitNanos.sum(),
        coldReads.sum(),
        takeovers.sum(),
        parked.sum(),
        queues,
        partitions,
        tailCacheBytes,
        inboxBytes);
  }
}
