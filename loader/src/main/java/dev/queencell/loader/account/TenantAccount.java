package dev.queencell.loader.account;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToLongFunction;

/** One tenant's lanes and counts; a lane exists from its first use. Thread-safe. */
public final class TenantAccount {
  private final int index;
  private final boolean verify;
  private final AtomicReferenceArray<Lane> lanes;
  private final Causes causes = new Causes();
  private final LongAdder offered = new LongAdder();
  private final LongAdder shed = new LongAdder();
  private final LongAdder accepted = new LongAdder();
  private final LongAdder buffered = new LongAdder();
  private final LongAdder refused = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private final LongAdder delivered = new LongAdder();
  private final LongAdder duplicate = new LongAdder();
  private final LongAdder outOfOrder = new LongAdder();
  private final LongAdder cross = new LongAdder();
  private final LongAdder corrupt = new LongAdder();
  private final LongAdder neverIssued = new LongAdder();
  private final LongAdder foreign = new LongAdder();
  private final List<Offence> offences = new ArrayList<>();

  TenantAccount(int index, int partitions, boolean verify) {
    this.index = index;
    this.verify = verify;
    lanes = new AtomicReferenceArray<>(partitions);
  }

  public Causes causes() {
    return causes;
  }

  Lane lane(int partition) {
    var lane = lanes.get(partition);
    if (lane == null) {
      lanes.compareAndSet(partition, null, new Lane(verify));
      lane = lanes.get(partition);
    }
    return lane;
  }

  boolean hasLane(int partition) {
    return partition >= 0 && partition < lanes.length();
  }

  /** Sums over the lanes that were used. */
  long sum(ToLongFunction<Lane> count) {
    long sum = 0;
    for (int p = 0; p < lanes.length(); p++) {
      var lane = lanes.get(p);
      sum += lane == null ? 0 : count.applyAsLong(lane);
    }
    return sum;
  }

  public void offered(int messages) {
    offered.add(messages);
  }

  public void shed(int messages) {
    shed.add(messages);
  }

  /** Messages that a 429 or 403 kept out. */
  public void refused(int messages) {
    refused.add(messages);
  }

  /** Messages whose push failed in any other way. */
  public void failed(int messages) {
    failed.add(messages);
  }

  /** Messages that went to the broker's spool: accepted, but in no order with the others. */
  public void buffered(int messages) {
    buffered.add(messages);
  }

  /** A message of another run. */
  public void foreign() {
    foreign.increment();
  }

  /** A message of this run whose filler was not what was written. */
  public void corrupt(int partition, long sequence) {
    corrupt.increment();
    note("corrupt", partition, sequence);
  }

  void acceptedOne() {
    accepted.increment();
  }

  void count(Judgement judgement, int partition, long sequence) {
    switch (judgement) {
      case FIRST -> delivered.increment();
      case OUT_OF_ORDER -> {
        delivered.increment();
        outOfOrder.increment();
        note("out of order", partition, sequence);
      }
      case DUPLICATE -> {
        duplicate.increment();
        note("duplicate", partition, sequence);
      }
      case CROSS_TENANT -> {
        cross.increment();
        note("cross tenant", partition, sequence);
      }
      case NEVER_ISSUED -> {
        neverIssued.increment();
        note("never issued", partition, sequence);
      }
    }
  }

  long duplicates() {
    return duplicate.sum();
  }

  private void note(String kind, int partition, long sequence) {
    synchronized (offences) {
      if (offences.stream().filter(o -> o.kind().equals(kind)).count() < Ledger.OFFENDERS_MAX) {
        offences.add(new Offence(kind, index, partition, sequence));
      }
    }
  }

  /** Everything counted so far; walks the bitmaps. */
  TenantTotals totals(Backlog backlog) {
    long undelivered = 0;
    long extra = 0;
    long inFlight = 0;
    long stillQueued = 0;
    long held = 0;
    var found = new ArrayList<Offence>();
    for (int p = 0; p < lanes.length(); p++) {
      if (lanes.get(p) == null) {
        continue;
      }
      var lane = lanes.get(p).totals(Ledger.OFFENDERS_MAX);
      long queued = Math.max(0, backlog.pending(p) - lane.heldByConsumers());
      held += lane.heldByConsumers();
      undelivered += lane.undelivered();
      extra += lane.extra();
      inFlight += lane.inFlight();
      stillQueued += Math.min(lane.undelivered(), queued);
      if (lane.undelivered() > queued && found.size() < Ledger.OFFENDERS_MAX) {
        for (long sequence : lane.firstUndelivered()) {
          found.add(new Offence("missing", index, p, sequence));
        }
      }
    }
    stillQueued = Math.min(stillQueued, Math.max(0, backlog.total() - held));
    synchronized (offences) {
      found.addAll(offences);
    }
    return new TenantTotals(
        index,
        offered.sum(),
        shed.sum(),
        accepted.sum(),
        buffered.sum(),
        refused.sum(),
        failed.sum(),
        delivered.sum(),
        undelivered - stillQueued,
        stillQueued,
        duplicate.sum(),
        extra,
        cross.sum(),
        outOfOrder.sum(),
        corrupt.sum(),
        neverIssued.sum(),
        foreign.sum(),
        inFlight,
        backlog.known(),
        causes.counts(),
        List.copyOf(found));
  }
}
