package dev.queencell.loader.payload;

/**
 * What a message says about itself. Mutable so that a consumer reads millions of messages through
 * one; not thread-safe.
 *
 * <p>In the payload, one JSON object: {@code {"r":run,"t":tenant,"p":partition,"s":sequence,
 * "d":answered,"b":base,"a":scheduled,"x":sent,"f":"filler"}}, times in µs from the run's start.
 */
public final class Stamp {
  /** Tells the messages of this run from those of another. */
  public int run;

  public int tenant;
  public int partition;

  /** Position in the tenant's partition, from 0, without gaps. */
  public long sequence;

  /**
   * Every push of the partition up to this sequence had been answered when this message was sent,
   * so these come before it; pushes that were underway at the same time have no order.
   */
  public long answered;

  /** First sequence of the request that carried it; earlier ones of that request come before. */
  public long base;

  public long scheduledMicros;
  public long sentMicros;

  /** Takes over the other's values. */
  public Stamp copyFrom(Stamp other) {
    run = other.run;
    tenant = other.tenant;
    partition = other.partition;
    sequence = other.sequence;
    answered = other.answered;
    base = other.base;
    scheduledMicros = other.scheduledMicros;
    sentMicros = other.sentMicros;
    return this;
  }

  @Override
  public String toString() {
    return "tenant %d partition %d sequence %d".formatted(tenant, partition, sequence);
  }
}
