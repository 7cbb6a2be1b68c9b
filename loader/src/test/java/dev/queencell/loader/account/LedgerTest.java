package dev.queencell.loader.account;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.loader.payload.Stamp;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class LedgerTest {
  private static final int TENANTS = 3;
  private static final int PARTITIONS = 2;

  private static final int BATCH = 3;

  /** What the counts mean, in sets and lists: slow, and plainly right. */
  private static final class Reference {
    private record Id(int tenant, int partition, long sequence) {}

    private record Sent(Id id, long answered, long base) {}

    final Set<Id> accepted = new HashSet<>();
    final Set<Id> seen = new HashSet<>();
    final List<Sent> order = new ArrayList<>();
    long duplicate;
    long cross;
    long outOfOrder;

    void deliver(int consumer, Stamp s) {
      var id = new Id(s.tenant, s.partition, s.sequence);
      if (consumer != s.tenant) {
        cross++;
      } else if (!seen.add(id)) {
        duplicate++;
      } else {
        outOfOrder += order.stream().anyMatch(earlier -> mustPrecede(id, earlier)) ? 1 : 0;
        order.add(new Sent(id, s.answered, s.base));
      }
    }

    private boolean mustPrecede(Id id, Sent later) {
      return later.id.tenant == id.tenant
          && later.id.partition == id.partition
          && ((id.sequence <= later.answered && accepted.contains(id))
              || (later.base <= id.sequence && id.sequence < later.id.sequence));
    }

    long missing() {
      return accepted.stream().filter(id -> !seen.contains(id)).count();
    }

    long extra() {
      return seen.stream().filter(id -> !accepted.contains(id)).count();
    }
  }

  @Property(tries = 300)
  void itsCountsAreThoseOfTheReferenceWhateverArrivesInWhateverOrder(@ForAll long seed) {
    var random = new Random(seed);
    var ledger = new Ledger(TENANTS, PARTITIONS, true);
    var reference = new Reference();
    var sent = new ArrayList<Stamp>();
    for (int i = 0; i < 400; i++) {
      if (sent.isEmpty() || random.nextInt(6) == 0) {
        push(random, ledger, reference, sent);
      } else {
        // Mostly what was sent lately, as a queue does, now and then anything.
        int from = random.nextInt(5) == 0 ? 0 : Math.max(0, sent.size() - 8);
        var stamp = sent.get(random.nextInt(from, sent.size()));
        int consumer = random.nextInt(20) == 0 ? random.nextInt(TENANTS) : stamp.tenant;
        ledger.deliver(consumer, stamp);
        reference.deliver(consumer, stamp);
      }
    }
    var totals = ledger.totals(_ -> Backlog.UNKNOWN);
    assertEquals(reference.missing(), totals.stream().mapToLong(TenantTotals::missing).sum());
    assertEquals(reference.missing(), ledger.undelivered());
    assertEquals(reference.extra(), totals.stream().mapToLong(TenantTotals::extra).sum());
    assertEquals(reference.duplicate, ledger.duplicates());
    assertEquals(reference.cross, totals.stream().mapToLong(TenantTotals::cross).sum());
    assertEquals(reference.outOfOrder, totals.stream().mapToLong(TenantTotals::outOfOrder).sum());
  }

  /** One request of a few messages; some are refused, and some requests overlap the next. */
  private static void push(Random random, Ledger ledger, Reference reference, List<Stamp> sent) {
    int tenant = random.nextInt(TENANTS);
    int partition = random.nextInt(PARTITIONS);
    long base = ledger.issue(tenant, partition, BATCH);
    long answered = ledger.answeredThrough(tenant, partition);
    for (long sequence = base; sequence < base + BATCH; sequence++) {
      var stamp = stamp(sequence, answered, base);
      stamp.tenant = tenant;
      stamp.partition = partition;
      if (random.nextInt(8) > 0) {
        ledger.accept(tenant, partition, sequence);
        reference.accepted.add(new Reference.Id(tenant, partition, sequence));
      }
      sent.add(stamp);
    }
    if (random.nextInt(6) > 0) {
      ledger.conclude(tenant, partition, base, BATCH);
    }
  }

  private static Stamp stamp(long sequence, long answered, long base) {
    var stamp = new Stamp();
    stamp.sequence = sequence;
    stamp.answered = answered;
    stamp.base = base;
    return stamp;
  }

  @Test
  void pushesThatOverlappedHaveNoOrder() {
    var ledger = new Ledger(1, 1, true);
    ledger.issue(0, 0, 1);
    ledger.issue(0, 0, 1);
    ledger.accept(0, 0, 0);
    ledger.accept(0, 0, 1);
    assertEquals(Judgement.FIRST, ledger.deliver(0, stamp(1, -1, 1)));
    assertEquals(Judgement.FIRST, ledger.deliver(0, stamp(0, -1, 0)));
  }

  @Test
  void messagesOfOneRequestHaveTheOrderOfTheRequest() {
    var ledger = new Ledger(1, 1, true);
    ledger.issue(0, 0, 3);
    assertEquals(Judgement.FIRST, ledger.deliver(0, stamp(0, -1, 0)));
    assertEquals(Judgement.FIRST, ledger.deliver(0, stamp(2, -1, 0)));
    assertEquals(Judgement.OUT_OF_ORDER, ledger.deliver(0, stamp(1, -1, 0)));
  }

  @Test
  void messagesThatLeaveAsTheyArePoppedHaveNoOrderButAreCountedAllTheSame() {
    var ledger = Ledger.withoutOrder(1, 1, true);
    ledger.issue(0, 0, 3);
    assertEquals(Judgement.FIRST, ledger.deliver(0, stamp(2, -1, 0)));
    assertEquals(Judgement.FIRST, ledger.deliver(0, stamp(1, -1, 0)));
    assertEquals(Judgement.DUPLICATE, ledger.deliver(0, stamp(1, -1, 0)));
    assertEquals(0, ledger.totals(_ -> Backlog.UNKNOWN).getFirst().outOfOrder());
  }

  @Test
  void aStampIsBelievedInNothing() {
    var ledger = new Ledger(1, 1, true);
    assertEquals(Judgement.NEVER_ISSUED, ledger.deliver(0, stamp(0, -1, 0)));
    assertEquals(Judgement.NEVER_ISSUED, ledger.deliver(0, stamp(-5, -1, 0)));
    var elsewhere = stamp(0, -1, 0);
    elsewhere.partition = 7;
    assertEquals(Judgement.NEVER_ISSUED, ledger.deliver(0, elsewhere));
    elsewhere.tenant = 99;
    assertEquals(Judgement.CROSS_TENANT, ledger.deliver(0, elsewhere));
  }

  @Test
  void whatTheBrokerStillHoldsIsBacklogLaneByLane() {
    var ledger = new Ledger(1, 2, true);
    for (int partition = 0; partition < 2; partition++) {
      ledger.issue(0, partition, 10);
      for (int s = 0; s < 10; s++) {
        ledger.accept(0, partition, s);
      }
    }
    var totals = ledger.totals(_ -> new Backlog(true, 12, Map.of(0, 12L, 1, 0L))).getFirst();
    assertEquals(10, totals.backlog(), "a lane can't hold more for us than it owes us");
    assertEquals(10, totals.missing());
    assertEquals(
        List.of(new Offence("missing", 0, 1, 0), new Offence("missing", 0, 1, 1)),
        totals.offences().subList(0, 2));
  }

  @Test
  void duplicatesNeverCountAsReordering() {
    var ledger = new Ledger(1, 1, true);
    for (int s = 0; s < 3; s++) {
      ledger.issue(0, 0, 1);
      ledger.accept(0, 0, s);
      assertEquals(Judgement.FIRST, ledger.deliver(0, stamp(s, s - 1, s)));
    }
    assertEquals(Judgement.DUPLICATE, ledger.deliver(0, stamp(0, -1, 0)));
    assertEquals(Judgement.DUPLICATE, ledger.deliver(0, stamp(1, 0, 1)));
  }

  @Test
  void whatConsumersHoldUnackedDoesNotExcuseALoss() {
    var ledger = new Ledger(1, 1, true);
    ledger.issue(0, 0, 10);
    for (int s = 0; s < 10; s++) {
      ledger.accept(0, 0, s);
    }
    for (int s = 0; s < 4; s++) {
      ledger.deliver(0, stamp(s, -1, 0));
    }
    ledger.complete(0, 0, 0);
    // Three delivered ones are unacked, six were never delivered: the broker counts nine.
    assertEquals(6, ledger.totals(_ -> new Backlog(true, 9, Map.of(0, 9L))).getFirst().backlog());
    // It lost one of the six.
    var totals = ledger.totals(_ -> new Backlog(true, 8, Map.of(0, 8L))).getFirst();
    assertEquals(5, totals.backlog());
    assertEquals(1, totals.missing());
    assertEquals(Verdict.Kind.FAIL, Verdict.of(totals).kind());
  }

  @Property(tries = 20)
  void aThousandMessagesInOrderTakeLessThanSixtyFourBytesEvenAboveALoss(
      @ForAll boolean firstIsLost, @ForAll @IntRange(min = 1, max = 500) int window) {
    int thousands = 300;
    var lane = new Lane(true);
    lane.issue(1);
    if (!firstIsLost) {
      lane.accept(0);
      lane.deliver(0, -1, 0);
    }
    for (long s = 1; s < thousands * 1000L; s += window) {
      // Answers overlap within a window: they come back to front.
      lane.issue(window);
      for (long back = s + window - 1; back >= s; back--) {
        lane.accept(back);
      }
      for (long next = s; next < s + window; next++) {
        lane.deliver(next, s - 1, s);
        lane.complete(next);
      }
    }
    assertTrue(lane.setBytes() < 64L * thousands, () -> lane.setBytes() + " bytes");
  }

  @Test
  void aLaneThatWasNeverUsedTakesNoRoom() {
    var ledger = new Ledger(1, 1_000_000, true);
    ledger.issue(0, 999_999, 1);
    ledger.accept(0, 999_999, 0);
    assertEquals(1, ledger.undelivered());
    assertEquals(1, ledger.totals(_ -> Backlog.UNKNOWN).getFirst().missing());
  }
}
