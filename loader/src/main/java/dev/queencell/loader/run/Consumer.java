package dev.queencell.loader.run;

import dev.queencell.client.PopRequest;
import dev.queencell.client.PopResult;
import dev.queencell.loader.account.TenantAccount;
import dev.queencell.loader.fault.Judge;
import dev.queencell.loader.measure.Counter;
import dev.queencell.loader.measure.Series;
import dev.queencell.loader.payload.PayloadReader;
import dev.queencell.loader.payload.Stamp;

/** One consumer of one tenant: pops, accounts for every message, acks. */
public final class Consumer extends PollingWorker {
  private final Bench bench;
  private final Member member;
  private final TenantAccount account;
  private final Acks acks;
  private final PayloadReader reader;
  private final Stamp stamp = new Stamp();

  /** A consumer of any lanes of the member's queue. */
  public Consumer(Bench bench, Member member, int number) {
    this(bench, member, number, bench.pops().fromQueue(member));
  }

  /** A consumer that asks these lanes in turn, by name. */
  public static Consumer ofPartitions(Bench bench, Member member, int number, int... partitions) {
    var requests = new PopRequest[partitions.length];
    for (int i = 0; i < requests.length; i++) {
      requests[i] = bench.pops().fromPartition(member, Member.partitionName(partitions[i]));
    }
    return new Consumer(bench, member, number, requests);
  }

  private Consumer(Bench bench, Member member, int number, PopRequest... pops) {
    super(
        "consumer-" + member.index() + "-" + number,
        member.client(),
        bench.ledger().tenant(member.index()).causes(),
        bench.pops().batch(),
        bench.pops().waitMs() > 0 ? 0 : bench.pops().emptySleepMs(),
        pops);
    this.bench = bench;
    this.member = member;
    account = bench.ledger().tenant(member.index());
    acks = new Acks(bench, member);
    reader = new PayloadReader(bench.filler(), bench.run());
  }

  @Override
  protected Bench bench() {
    return bench;
  }

  @Override
  protected boolean mayCutPolls() {
    return !bench.pops().autoAck();
  }

  @Override
  protected void ended() {
    acks.awaitAll();
  }

  @Override
  protected void handle(PopResult popped) {
    long received = bench.now();
    boolean steady = bench.window().contains(received);
    int untouchedTail = 0;
    long bytes = 0;
    long first = 0;
    acks.open();
    for (int i = 0; i < popped.size(); i++) {
      var message = popped.message(i);
      if (message.deliveryAttempt() > 1) {
        account.causes().redelivered();
      }
      bytes += message.payloadLength();
      var finding =
          reader.read(
              message.payloadBuffer(), message.payloadOffset(), message.payloadLength(), stamp);
      if (finding == PayloadReader.Finding.FOREIGN) {
        account.foreign();
        untouchedTail = 0;
        acks.add(-1, -1);
        continue;
      }
      if (finding == PayloadReader.Finding.CORRUPT) {
        account.corrupt(stamp.partition, stamp.sequence);
      }
      var fate = bench.judge().deliver(member.index(), stamp);
      if (fate != Judge.Fate.REPEATED) {
        long due = bench.nanos(stamp.scheduledMicros);
        bench.latencies().record(Series.END_TO_END, received - due, bench.window().contains(due));
        first++;
      }
      boolean sameLane = i > 0 && message.samePartition(popped.message(i - 1));
      untouchedTail = fate == Judge.Fate.FIRST ? (sameLane ? untouchedTail : 0) + 1 : 0;
      acks.add(stamp.partition, stamp.sequence);
    }
    bench.counters().add(Counter.DELIVERED, first, steady);
    bench.counters().add(Counter.REPEATED, popped.size() - first, steady);
    bench.counters().add(Counter.PAYLOAD_BYTES_DELIVERED, bytes, steady);
    int dropped = bench.judge().takeDroppedAcks(member.index(), untouchedTail);
    acks.send(popped, popped.size() - dropped);
  }
}
