package dev.queencell.loader.app;

import dev.queencell.client.AckBatch;
import dev.queencell.client.AckResult;
import dev.queencell.client.AckStatus;
import dev.queencell.client.PopResult;
import dev.queencell.client.PushBatch;
import dev.queencell.client.QueenException;
import dev.queencell.client.TransactionBatch;
import dev.queencell.loader.account.TenantAccount;
import dev.queencell.loader.measure.Counter;
import dev.queencell.loader.measure.Series;
import dev.queencell.loader.payload.PayloadReader;
import dev.queencell.loader.payload.Stamp;
import dev.queencell.loader.run.Bench;
import dev.queencell.loader.run.Member;
import dev.queencell.loader.run.PollingWorker;
import java.util.ArrayList;
import java.util.List;

/**
 * One consumer of one group. It deals with each lane's part of a pop by itself: billing in one
 * transaction of acks and invoices, shipping up to the first order that fails, all others with
 * plain acks.
 */
final class AppConsumer extends PollingWorker {
  /** What a group does with its messages. */
  enum Role {
    BILLING_BY_TRANSACTION,
    BILLING_PUSH_THEN_ACK,
    SHIPPING,
    READING
  }

  private final Bench bench;
  private final Member member;
  private final Role role;
  private final Member invoices;
  private final Failures failures;
  private final TenantAccount account;
  private final PayloadReader reader;
  private final AckBatch acks;
  private final PushBatch pushes = new PushBatch();
  private final TransactionBatch transaction = new TransactionBatch();
  private final Stamp stamp = new Stamp();
  private final List<Failures.Place> places = new ArrayList<>();

  /**
   * Makes a consumer.
   *
   * @param member the group, as an account of its own
   * @param invoices the group that reads what billing pushes
   */
  AppConsumer(Bench bench, Member member, Role role, Member invoices, Failures failures) {
    super(
        member.name(),
        member.client(),
        bench.ledger().tenant(member.index()).causes(),
        bench.pops().batch(),
        bench.pops().waitMs() > 0 ? 0 : bench.pops().emptySleepMs(),
        bench.pops().fromQueue(member));
    this.bench = bench;
    this.member = member;
    this.role = role;
    this.invoices = invoices;
    this.failures = failures;
    account = bench.ledger().tenant(member.index());
    reader = new PayloadReader(bench.filler(), bench.run());
    acks = new AckBatch(member.group());
  }

  @Override
  protected Bench bench() {
    return bench;
  }

  @Override
  protected void handle(PopResult popped) {
    int from = 0;
    for (int i = 1; i <= popped.size(); i++) {
      if (i == popped.size() || !popped.message(i).samePartition(popped.message(from))) {
        account(popped, from, i);
        switch (role) {
          case BILLING_BY_TRANSACTION -> bill(popped, from, i);
          case BILLING_PUSH_THEN_ACK -> {
            if (pushInvoices(popped, from, i)) {
              complete(popped, from, i, places.size());
            }
          }
          case SHIPPING -> ship(popped, from, i);
          case READING -> complete(popped, from, i, places.size());
        }
        from = i;
      }
    }
  }

  /** Judges one lane's part; {@link #places} are its messages', null for those of other runs. */
  private void account(PopResult popped, int from, int to) {
    long received = bench.now();
    boolean steady = bench.window().contains(received);
    places.clear();
    for (int i = from; i < to; i++) {
      var message = popped.message(i);
      if (message.deliveryAttempt() > 1) {
        account.causes().redelivered();
      }
      var finding =
          reader.read(
              message.payloadBuffer(), message.payloadOffset(), message.payloadLength(), stamp);
      if (finding == PayloadReader.Finding.FOREIGN) {
        account.foreign();
        places.add(null);
        continue;
      }
      if (finding == PayloadReader.Finding.CORRUPT) {
        account.corrupt(stamp.partition, stamp.sequence);
      }
      places.add(new Failures.Place(stamp.partition, stamp.sequence));
      // The stamp names the orders' account; every group has one of its own.
      stamp.tenant = member.index();
      if (!bench.ledger().deliver(member.index(), stamp).isFirst()) {
        bench.counters().add(Counter.REPEATED, 1, steady);
        continue;
      }
      bench.counters().add(Counter.DELIVERED, 1, steady);
      bench.counters().add(Counter.PAYLOAD_BYTES_DELIVERED, message.payloadLength(), steady);
      long due = bench.nanos(stamp.scheduledMicros);
      bench.latencies().record(Series.END_TO_END, received - due, bench.window().contains(due));
    }
  }

  private void bill(PopResult popped, int from, int to) {
    transaction.clear();
    for (int i = from; i < to; i++) {
      var message = popped.message(i);
      transaction.ack(member.group(), message, AckStatus.COMPLETED);
      var place = places.get(i - from);
      if (place != null) {
        bench.ledger().passOn(invoices.index(), place.partition(), place.sequence());
        transaction.push(
            invoices.queue(),
            Member.partitionName(place.partition()),
            null,
            message.payloadBuffer(),
            message.payloadOffset(),
            message.payloadLength());
      }
    }
    long sent = bench.now();
    boolean steady = bench.window().contains(sent);
    bench.counters().add(Counter.ACK_REQUESTS, 1, steady);
    try {
      var result = member.client().transaction(transaction);
      bench.latencies().record(Series.ACK, bench.now() - sent, steady);
      if (result.committed()) {
        bench.counters().add(Counter.ACKED, to - from, steady);
        invoicesAccepted();
        completed(places.size());
      } else {
        bench.counters().error("transaction", "rolled_back." + result.reason());
        account.causes().ackFailed(to - from);
      }
    } catch (QueenException e) {
      bench.counters().error("transaction", e.kind());
      account.causes().ackFailed(to - from);
    }
  }

  private void invoicesAccepted() {
    for (var place : places) {
      if (place != null) {
        bench.ledger().accept(invoices.index(), place.partition(), place.sequence());
      }
    }
  }

  /** Invoices by themselves: one that is pushed again because its ack failed is there twice. */
  private boolean pushInvoices(PopResult popped, int from, int to) {
    pushes.clear();
    for (int i = from; i < to; i++) {
      var place = places.get(i - from);
      if (place != null) {
        var message = popped.message(i);
        bench.ledger().passOn(invoices.index(), place.partition(), place.sequence());
        pushes.add(
            invoices.queue(),
            Member.partitionName(place.partition()),
            null,
            message.payloadBuffer(),
            message.payloadOffset(),
            message.payloadLength());
      }
    }
    try {
      if (pushes.size() == 0 || member.client().push(pushes).allAccepted()) {
        invoicesAccepted();
        return true;
      }
      bench.counters().error("push_invoices", "status_failed");
    } catch (QueenException e) {
      bench.counters().error("push_invoices", e.kind());
    }
    account.causes().ackFailed(to - from);
    bench.ledger().tenant(invoices.index()).causes().ackFailed(to - from);
    return false;
  }

  /** Completes up to the first order that fails; that one is nacked, what follows comes again. */
  private void ship(PopResult popped, int from, int to) {
    int good = 0;
    while (good < places.size()
        && (places.get(good) == null || !failures.fails(places.get(good)))) {
      good++;
    }
    complete(popped, from, to, good);
  }

  /** Acks the first {@code good} messages and nacks the one after them, where there is one. */
  private void complete(PopResult popped, int from, int to, int good) {
    acks.clear();
    for (int i = 0; i < good; i++) {
      acks.add(popped.message(from + i), AckStatus.COMPLETED);
    }
    boolean nack = good < places.size();
    if (nack) {
      acks.add(popped.message(from + good), AckStatus.FAILED, "shipping failed on purpose");
    }
    long sent = bench.now();
    boolean steady = bench.window().contains(sent);
    bench.counters().add(Counter.ACK_REQUESTS, 1, steady);
    try {
      var result = member.client().ack(acks);
      bench.latencies().record(Series.ACK, bench.now() - sent, steady);
      bench.counters().add(Counter.ACKED, result.succeeded(), steady);
      if (!result.allSucceeded()) {
        refused(result, to - from);
        return;
      }
      completed(good);
      if (nack) {
        account.causes().nacked(to - from - good);
        if (result.deadLettered() > 0) {
          var place = places.get(good);
          failures.deadLettered(place);
          bench.ledger().complete(member.index(), place.partition(), place.sequence());
        }
      }
    } catch (QueenException e) {
      bench.counters().error("ack", e.kind());
      account.causes().ackFailed(to - from);
    }
  }

  private void completed(int count) {
    for (var place : places.subList(0, count)) {
      if (place != null) {
        bench.ledger().complete(member.index(), place.partition(), place.sequence());
      }
    }
  }

  private void refused(AckResult result, int batch) {
    long expired =
        result.refused().stream().filter(r -> r.error().equals(AckResult.LEASE_EXPIRED)).count();
    bench.counters().error("ack", expired > 0 ? "lease_expired" : "refused");
    account.causes().acksRefused(result.refused().size(), (int) expired, batch);
  }
}
