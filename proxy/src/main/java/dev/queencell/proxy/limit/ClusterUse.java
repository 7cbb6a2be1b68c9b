package dev.queencell.proxy.limit;

import dev.queencell.proxy.directory.ClusterLimits;
import dev.queencell.proxy.directory.ClusterView;
import io.github.bucket4j.TimeMeter;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What one cluster is using now. A limit that the plan leaves open has no state and costs nothing.
 *
 * <p>Thread-safe.
 */
public final class ClusterUse {
  /** What {@link #takeRequest} and {@link #takeMessages} answer when they grant. */
  public static final int GRANTED = Limit.GRANTED;

  private final TimeMeter clock;
  private final AtomicInteger cellParked;
  private final AtomicInteger cellOver;
  private final AtomicInteger parked = new AtomicInteger();
  private final AtomicInteger over = new AtomicInteger();
  private final QueueRegistry queues = new QueueRegistry();
  private final StorageUse storage = new StorageUse();
  private final SharedLimits shared;
  private final UUID uuid;
  private volatile ClusterView cluster;
  private volatile ClusterLimits limits;
  private volatile Limit requests;
  private volatile Limit messages;
  private volatile String policy;
  private volatile long lastUsedNs;

  /**
   * @param shared where several proxies share their limits, or null when this one is alone
   */
  ClusterUse(
      ClusterView cluster,
      TimeMeter clock,
      AtomicInteger cellParked,
      AtomicInteger cellOver,
      SharedLimits shared) {
    this.cluster = cluster;
    this.shared = shared;
    this.uuid = UUID.fromString(cluster.id());
    this.clock = clock;
    this.cellParked = cellParked;
    this.cellOver = cellOver;
    this.lastUsedNs = clock.currentTimeNanos();
    apply(cluster.limits());
  }

  /** Notes a use and brings the buckets to the limits in force. */
  void use(ClusterView current) {
    lastUsedNs = clock.currentTimeNanos();
    cluster = current;
    if (!current.limits().equals(limits)) {
      apply(current.limits());
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

  /** True when so many messages will never be there at once, however long one waits. */
  public boolean isOverBurst(long count) {
    var current = rate(limits.messagesPerSecond(), limits.messageBurst());
    return current != null && count > current.burst();
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

  /** Takes a place for a parked pop; false, and nothing taken, when cluster or cell has none. */
  public boolean park(long cellMax) {
    long max = limits.parkedPops();
    if (!increase(parked, max == ClusterLimits.UNLIMITED ? Integer.MAX_VALUE : max)) {
      return false;
    }
    if (!increase(cellParked, cellMax)) {
      parked.decrementAndGet();
      return false;
    }
    return true;
  }

  /** A pop is parked that has no place; it counts for no cap. */
  public void parkOver() {
    over.incrementAndGet();
    cellOver.incrementAndGet();
  }

  /**
   * A parked pop is gone.
   *
   * @param own whether it had a place
   */
  public void unpark(boolean own) {
    (own ? parked : over).decrementAndGet();
    (own ? cellParked : cellOver).decrementAndGet();
  }

  public QueueRegistry queues() {
    return queues;
  }

  public StorageUse storage() {
    return storage;
  }

  /** What the broker has of the cluster. */
  public void take(Inventory.Queues found) {
    queues.take(found);
    if (found.retainedBytes() != StorageUse.UNKNOWN) {
      storage.measured(found.retainedBytes(), limits.retainedBytes());
    }
  }

  /**
   * The policies in force as the header {@code RateLimit-Policy} words them, or null without any.
   */
  public String ratePolicy() {
    return policy;
  }

  /** What is left of them as the header {@code RateLimit} words it, or null without any. */
  public String rateLeft() {
    var ofRequests = requests;
    var ofMessages = messages;
    var current = limits;
    if (ofRequests == null && ofMessages == null) {
      return null;
    }
    var text = new StringBuilder(64);
    if (ofRequests != null) {
      left(text, "requests", ofRequests, current.requestsPerSecond());
    }
    if (ofMessages != null) {
      left(text, "messages", ofMessages, current.messagesPerSecond());
    }
    return text.toString();
  }

  /** What usage is kept under. */
  public UUID clusterUuid() {
    return uuid;
  }

  ClusterView cluster() {
    return cluster;
  }

  /** True when forgetting the cluster brings it nothing. */
  boolean isAtRest() {
    var ofRequests = requests;
    var ofMessages = messages;
    return parked.get() + over.get() == 0
        && (ofRequests == null || ofRequests.isAtRest())
        && (ofMessages == null || ofMessages.isAtRest());
  }

  long lastUsedNs() {
    return lastUsedNs;
  }

  private static boolean increase(AtomicInteger counter, long max) {
    return counter.getAndUpdate(count -> count < max ? count + 1 : count) < max;
  }

  private synchronized void apply(ClusterLimits wanted) {
    var ofRequests = rate(wanted.requestsPerSecond(), wanted.requestBurst());
    var ofMessages = rate(wanted.messagesPerSecond(), wanted.messageBurst());
    requests = changed(requests, SharedLimits.REQUESTS, ofRequests);
    messages = changed(messages, SharedLimits.MESSAGES, ofMessages);
    policy = policy(ofRequests, ofMessages);
    limits = wanted;
  }

  private Limit changed(Limit bucket, String name, Limit.Rate rate) {
    if (rate == null) {
      return null;
    }
    if (bucket == null) {
      return shared == null ? new RateLimit(rate, clock) : shared.limit(cluster.id(), name, rate);
    }
    bucket.change(rate);
    return bucket;
  }

  private static Limit.Rate rate(long perSecond, long burst) {
    if (perSecond == ClusterLimits.UNLIMITED) {
      return null;
    }
    // A burst without a bound of its own is as good as the rate's.
    return new Limit.Rate(perSecond, burst == ClusterLimits.UNLIMITED ? 2 * perSecond : burst);
  }

  private static String policy(Limit.Rate ofRequests, Limit.Rate ofMessages) {
    if (ofRequests == null && ofMessages == null) {
      return null;
    }
    var text = new StringBuilder(64);
    if (ofRequests != null) {
      policy(text, "requests", ofRequests);
    }
    if (ofMessages != null) {
      policy(text, "messages", ofMessages);
    }
    return text.toString();
  }

  /** The window is the time in which an empty bucket fills up. */
  private static void policy(StringBuilder text, String name, Limit.Rate rate) {
    item(text, name).append(";q=").append(Math.max(0, rate.burst()));
    if (rate.perSecond() > 0) {
      text.append(";w=").append(Math.max(1, Math.ceilDiv(rate.burst(), rate.perSecond())));
    }
  }

  /** The time is the one after which one more is there; 0 while there is. */
  private static void left(StringBuilder text, String name, Limit limit, long perSecond) {
    long remaining = limit.remaining();
    item(text, name).append(";r=").append(Math.max(0, remaining));
    if (perSecond > 0) {
      long missing = Math.max(0, 1 - remaining);
      text.append(";t=").append(Math.ceilDiv(missing, perSecond));
    }
  }

  private static StringBuilder item(StringBuilder text, String name) {
    if (!text.isEmpty()) {
      text.append(", ");
    }
    return text.append('"').append(name).append('"');
  }
}
