package dev.queencell.proxy.limit;

import dev.queencell.proxy.directory.ClusterLimits;
import io.github.bucket4j.TimeMeter;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What one cluster is using now. A limit that the plan leaves open has no state and costs nothing.
 *
 * <p>Thread-safe.
 */
public final class ClusterUse {
  /** What {@link #takeRequest} and {@link #takeMessages} answer when they grant. */
  public static final int GRANTED = RateLimit.GRANTED;

  private final TimeMeter clock;
  private final AtomicInteger cellParked;
  private final AtomicInteger parked = new AtomicInteger();
  private final QueueRegistry queues = new QueueRegistry();
  private volatile ClusterLimits limits;
  private volatile RateLimit requests;
  private volatile RateLimit messages;
  private volatile long lastUsedNs;

  ClusterUse(ClusterLimits limits, TimeMeter clock, AtomicInteger cellParked) {
    this.clock = clock;
    this.cellParked = cellParked;
    this.lastUsedNs = clock.currentTimeNanos();
    apply(limits);
  }

  /** Notes a use and brings the buckets to the limits in force. */
  void use(ClusterLimits current) {
    lastUsedNs = clock.currentTimeNanos();
    if (!current.equals(limits)) {
      apply(current);
    }
  }

  /** One request; {@link #GRANTED} or the seconds to wait. */
  public int takeRequest() {
    var bucket = requests;
    return bucket == null ? GRANTED : bucket.take(1);
  }

  /** So many pushed messages; {@link #GRANTED} or the seconds to wait. */
  public int takeMessages(long count) {
    var bucket = messages;
    return bucket == null ? GRANTED : bucket.take(count);
  }

  /** True when delivered messages have to be counted. */
  public boolean countsMessages() {
    return messages != null;
  }

  /** So many messages were handed out. */
  public void debitDelivered(long count) {
    var bucket = messages;
    if (bucket != null) {
      bucket.takeRegardless(count);
    }
  }

  /** Takes a place for a parked pop; true when cluster and cell had one free. */
  public boolean park(long cellMax) {
    int inCluster = parked.incrementAndGet();
    int inCell = cellParked.incrementAndGet();
    long max = limits.parkedPops();
    return inCell <= cellMax && (max == ClusterLimits.UNLIMITED || inCluster <= max);
  }

  /** Gives the place back, also one that was over the cap. */
  public void unpark() {
    parked.decrementAndGet();
    cellParked.decrementAndGet();
  }

  public QueueRegistry queues() {
    return queues;
  }

  int parked() {
    return parked.get();
  }

  long lastUsedNs() {
    return lastUsedNs;
  }

  private synchronized void apply(ClusterLimits wanted) {
    requests = changed(requests, rate(wanted.requestsPerSecond(), wanted.requestBurst()));
    messages = changed(messages, rate(wanted.messagesPerSecond(), wanted.messageBurst()));
    limits = wanted;
  }

  private RateLimit changed(RateLimit bucket, RateLimit.Rate rate) {
    if (rate == null) {
      return null;
    }
    if (bucket == null) {
      return new RateLimit(rate, clock);
    }
    bucket.change(rate);
    return bucket;
  }

  private static RateLimit.Rate rate(long perSecond, long burst) {
    if (perSecond == ClusterLimits.UNLIMITED) {
      return null;
    }
    // A burst without a bound of its own is as good as the rate's.
    return new RateLimit.Rate(perSecond, burst == ClusterLimits.UNLIMITED ? 2 * perSecond : burst);
  }
}
