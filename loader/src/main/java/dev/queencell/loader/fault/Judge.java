package dev.queencell.loader.fault;

import dev.queencell.loader.account.Judgement;
import dev.queencell.loader.account.Ledger;
import dev.queencell.loader.payload.Stamp;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Stands between the consumers and the ledger and brings the planned faults about. Each message is
 * hit by one fault at most, and only on its first delivery, so that N faults make N counts; with
 * nothing left to inject it passes deliveries straight on. Thread-safe.
 *
 * <ul>
 *   <li>{@code lose-msg}: the delivery never reaches the ledger; its ack is sent.
 *   <li>{@code swap}: the delivery is held back until one of its lane arrives that was sent after
 *       it had been answered; that one is judged first.
 *   <li>{@code cross}: the delivery is judged for the next tenant's consumer, then for its own.
 *   <li>{@code drop-ack}: see {@link #takeDroppedAcks}; the acks of the last messages of a batch
 *       stay unsent. The broker keeps their lease to its end, then delivers exactly these again.
 *   <li>{@code dup-push}: see {@link #takeDuplicatePush}.
 * </ul>
 */
public final class Judge {
  private final Ledger ledger;
  private final int tenantCount;
  private final FaultPlan plan;
  private final Map<Fault, Integer> injected = new EnumMap<>(Fault.class);
  private final Set<LaneKey> pushedTwice = new HashSet<>();
  private final Map<LaneKey, Stamp> held = new HashMap<>();
  private final boolean active;
  private volatile boolean closing;

  private record LaneKey(int tenant, int partition, long sequence) {}

  public Judge(Ledger ledger, int tenantCount, FaultPlan plan) {
    if (tenantCount < 2 && plan.count(Fault.CROSS) > 0) {
      throw new IllegalArgumentException("cross takes at least two tenants");
    }
    this.ledger = ledger;
    this.tenantCount = tenantCount;
    this.plan = plan;
    this.active = !plan.isEmpty();
    for (var fault : Fault.values()) {
      injected.put(fault, 0);
    }
  }

  /** What became of a delivery. */
  public enum Fate {
    FIRST,
    REPEATED,
    /** A fault hit it: its ack must not be dropped as well. */
    TAMPERED
  }

  /** Accounts a delivery; the stamp is copied where it is kept. */
  public Fate deliver(int consumerTenant, Stamp stamp) {
    if (!active) {
      return fate(ledger.deliver(consumerTenant, stamp));
    }
    synchronized (this) {
      return deliverTampering(consumerTenant, stamp);
    }
  }

  private static Fate fate(Judgement judgement) {
    return judgement.isFirst() ? Fate.FIRST : Fate.REPEATED;
  }

  private Fate deliverTampering(int consumerTenant, Stamp stamp) {
    if (!mayTamper(consumerTenant, stamp)) {
      return fate(ledger.deliver(consumerTenant, stamp));
    }
    if (take(Fault.LOSE_MSG)) {
      return Fate.TAMPERED;
    }
    if (take(Fault.CROSS)) {
      ledger.deliver((consumerTenant + 1) % tenantCount, stamp);
      ledger.deliver(consumerTenant, stamp);
      return Fate.TAMPERED;
    }
    var lane = new LaneKey(stamp.tenant, stamp.partition, 0);
    var waiting = held.get(lane);
    if (waiting != null && stamp.answered >= waiting.sequence) {
      held.remove(lane);
      ledger.deliver(consumerTenant, stamp);
      ledger.deliver(consumerTenant, waiting);
      count(Fault.SWAP);
      return Fate.TAMPERED;
    }
    if (waiting == null
        && !closing
        && injected.get(Fault.SWAP) + held.size() < plan.count(Fault.SWAP)) {
      held.put(lane, new Stamp().copyFrom(stamp));
      return Fate.TAMPERED;
    }
    return fate(ledger.deliver(consumerTenant, stamp));
  }

  private boolean mayTamper(int consumerTenant, Stamp stamp) {
    return stamp.tenant == consumerTenant
        && plan.hits(stamp.tenant)
        && !pushedTwice.contains(key(stamp))
        && !ledger.wasDelivered(stamp);
  }

  /** Whether the message with this stamp is to be pushed a second time. */
  public boolean takeDuplicatePush(Stamp stamp) {
    if (!active || !plan.hits(stamp.tenant)) {
      return false;
    }
    synchronized (this) {
      return take(Fault.DUP_PUSH) && pushedTwice.add(key(stamp));
    }
  }

  /** Takes back a duplicate push that the server did not accept, so that another one is tried. */
  public synchronized void returnDuplicatePush() {
    injected.merge(Fault.DUP_PUSH, -1, Integer::sum);
  }

  /**
   * How many acks at the end of a batch to leave out.
   *
   * @param tenant whose batch it is
   * @param untouchedTail length of the batch's tail that lies in one partition and holds only first
   *     deliveries that no other fault hit
   */
  public int takeDroppedAcks(int tenant, int untouchedTail) {
    if (!active || !plan.hits(tenant)) {
      return 0;
    }
    synchronized (this) {
      int left = plan.count(Fault.DROP_ACK) - injected.get(Fault.DROP_ACK);
      int taken = closing ? 0 : Math.min(left, untouchedTail);
      injected.merge(Fault.DROP_ACK, taken, Integer::sum);
      return taken;
    }
  }

  /** Nothing more is injected, and what is held back is judged as it comes. */
  public synchronized void close() {
    closing = true;
    release();
  }

  /**
   * Whether the drain is over: nothing is open that a fault did not throw away, and the duplicates
   * that were caused on purpose have come.
   *
   * @param undelivered accepted messages that the ledger still waits for
   */
  public synchronized boolean drained(long undelivered) {
    long thrownAway = injected.get(Fault.LOSE_MSG);
    if (undelivered <= thrownAway + held.size()) {
      release();
      return ledger.duplicates() >= injected.get(Fault.DUP_PUSH) + injected.get(Fault.DROP_ACK);
    }
    return false;
  }

  /** Messages that the ledger waits for because a fault keeps them from it. */
  public synchronized long withheld() {
    return (long) injected.get(Fault.LOSE_MSG) + held.size();
  }

  private void release() {
    held.values().forEach(stamp -> ledger.deliver(stamp.tenant, stamp));
    held.clear();
  }

  public synchronized int injected(Fault fault) {
    return injected.get(fault);
  }

  public FaultPlan plan() {
    return plan;
  }

  private boolean take(Fault fault) {
    if (closing || injected.get(fault) >= plan.count(fault)) {
      return false;
    }
    count(fault);
    return true;
  }

  private void count(Fault fault) {
    injected.merge(fault, 1, Integer::sum);
  }

  private static LaneKey key(Stamp stamp) {
    return new LaneKey(stamp.tenant, stamp.partition, stamp.sequence);
  }
}
