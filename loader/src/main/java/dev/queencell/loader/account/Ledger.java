package dev.queencell.loader.account;

import dev.queencell.loader.payload.Stamp;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

/**
 * The account of a whole run: every message issued, its push's end, its deliveries. Each call
 * touches one lane. Thread-safe.
 */
public final class Ledger {
  /** How many offenders are named, per kind and tenant and over all. */
  public static final int OFFENDERS_MAX = 10;

  private final TenantAccount[] tenants;
  private final int readers;
  private final boolean ordered;

  /**
   * Opens an account.
   *
   * @param verify false keeps counts only: nothing can be told missing, duplicate or out of order
   */
  public Ledger(int tenantCount, int partitions, boolean verify) {
    this(tenantCount, partitions, verify, 1, true);
  }

  /**
   * Opens an account of messages that leave the queue as they are popped. Then several consumers
   * may hold messages of a lane at once, and the later answer may be the first to be read: between
   * consumers there is no order to judge.
   */
  public static Ledger withoutOrder(int tenantCount, int partitions, boolean verify) {
    return new Ledger(tenantCount, partitions, verify, 1, false);
  }

  /**
   * Opens an account whose first few tenants are groups that read the same messages: what is issued
   * and accepted for the first is owed to each of them.
   *
   * @param readers how many, at least 1
   */
  public Ledger(int tenantCount, int partitions, boolean verify, int readers) {
    this(tenantCount, partitions, verify, readers, true);
  }

  private Ledger(int tenantCount, int partitions, boolean verify, int readers, boolean ordered) {
    this.readers = readers;
    this.ordered = ordered;
    tenants = new TenantAccount[tenantCount];
    for (int i = 0; i < tenantCount; i++) {
      tenants[i] = new TenantAccount(i, partitions, verify);
    }
  }

  public TenantAccount tenant(int index) {
    return tenants[index];
  }

  /** Hands out sequences of a lane; returns the first. */
  public long issue(int tenant, int partition, int count) {
    long base = tenants[tenant].lane(partition).issue(count);
    for (int reader = 1; tenant == 0 && reader < readers; reader++) {
      tenants[reader].lane(partition).issuedElsewhere(base, count);
    }
    return base;
  }

  /** A message goes on under the sequence that another account gave it. */
  public void passOn(int tenant, int partition, long sequence) {
    tenants[tenant].lane(partition).issuedElsewhere(sequence, 1);
  }

  /** Up to which sequence every push of the lane has been answered; -1 when none has. */
  public long answeredThrough(int tenant, int partition) {
    return tenants[tenant].lane(partition).answeredThrough();
  }

  /** The server said that it has this message, or will have it. */
  public void accept(int tenant, int partition, long sequence) {
    for (int reader = tenant; reader < (tenant == 0 ? readers : tenant + 1); reader++) {
      tenants[reader].lane(partition).accept(sequence);
      tenants[reader].acceptedOne();
    }
  }

  /** The push of these sequences has ended, well or not; call it after {@link #accept}. */
  public void conclude(int tenant, int partition, long base, int count) {
    tenants[tenant].lane(partition).conclude(base, count);
  }

  /**
   * Judges one delivery and counts it, with the tenant whose consumer received it.
   *
   * @param stamp as read from the payload; believed in nothing
   */
  public Judgement deliver(int consumerTenant, Stamp stamp) {
    var account = tenants[consumerTenant];
    Judgement judgement;
    if (stamp.tenant != consumerTenant) {
      judgement = Judgement.CROSS_TENANT;
    } else if (!account.hasLane(stamp.partition)) {
      judgement = Judgement.NEVER_ISSUED;
    } else {
      judgement = account.lane(stamp.partition).deliver(stamp.sequence, stamp.answered, stamp.base);
      if (judgement == Judgement.OUT_OF_ORDER && !ordered) {
        judgement = Judgement.FIRST;
      }
    }
    account.count(judgement, stamp.partition, stamp.sequence);
    return judgement;
  }

  /**
   * The consumer is done with a delivered message and its ack was carried out, or may have been.
   * Only what was certainly not acked explains what the broker still counts as queued.
   */
  public void complete(int tenant, int partition, long sequence) {
    var account = tenants[tenant];
    if (account.hasLane(partition)) {
      account.lane(partition).complete(sequence);
    }
  }

  /** Whether this message has been delivered before. */
  public boolean wasDelivered(Stamp stamp) {
    var account = tenants[stamp.tenant];
    return account.hasLane(stamp.partition)
        && account.lane(stamp.partition).wasDelivered(stamp.sequence);
  }

  /**
   * Accepted minus first deliveries. Deliveries that overtake their own push's answer and extras
   * make it smaller than what is undelivered, so zero is confirmed by {@link #undelivered}.
   */
  public long open() {
    return sum(Lane::open);
  }

  /** How many accepted messages have not been delivered; walks the bitmaps. */
  public long undelivered() {
    return sum(Lane::undelivered);
  }

  /** How many accepted messages have not been completed; walks the sets. */
  public long uncompleted() {
    return sum(Lane::uncompleted);
  }

  private long sum(ToLongFunction<Lane> count) {
    long sum = 0;
    for (var tenant : tenants) {
      sum += tenant.sum(count);
    }
    return sum;
  }

  /** Duplicates so far. */
  public long duplicates() {
    return IntStream.range(0, tenants.length).mapToLong(i -> tenants[i].duplicates()).sum();
  }

  /** Every tenant's account at the cutoff, given what the broker says is still queued. */
  public List<TenantTotals> totals(IntFunction<Backlog> backlog) {
    return IntStream.range(0, tenants.length)
        .mapToObj(i -> tenants[i].totals(backlog.apply(i)))
        .toList();
  }
}
