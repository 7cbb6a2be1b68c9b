package dev.queencell.loader.account;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.queencell.loader.payload.Stamp;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class LedgerTest {
  private static final int TENANTS = 3;
  private static final int PARTITIONS = 2;

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
        boolean late =
            order.stream()
                .filter(o -> o.id.tenant == id.tenant && o.id.partition == id.partition)
                .anyMatch(o -> id.sequence <= o.answered);
        outOfOrder += late && accepted.contains(id) ? 1 : 0;
        order.add(new Sent(id, s.answered, s.base));
      }
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
    for (int i = 0; i < 300; i++) {
      if (sent.isEmpty() || random.nextInt(3) == 0) {
        sent.add(push(random, ledger, reference));
      } else {
        var stamp = sent.get(random.nextInt(sent.size()));
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

  private static Stamp push(Random random, Ledger ledger, Reference reference) {
    var stamp = new Stamp();
    stamp.tenant = random.nextInt(TENANTS);
    stamp.partition = random.nextInt(PARTITIONS);
    stamp.sequence = ledger.issue(stamp.tenant, stamp.partition, 1);
    stamp.base = stamp.sequence;
    stamp.answered = ledger.answeredThrough(stamp.tenant, stamp.partition);
    if (random.nextInt(8) > 0) {
      ledger.accept(stamp.tenant, stamp.partition, stamp.sequence);
      reference.accepted.add(new Reference.Id(stamp.tenant, stamp.partition, stamp.sequence));
    }
    ledger.conclude(stamp.tenant, stamp.partition, stamp.sequence, 1);
    return stamp;
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
    ledger.issue(0, 0, 2);
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
  void aMillionMessagesInOrderTakeAFewKilobytes() {
    var lane = new Lane(true);
    lane.issue(1 << 20);
    for (long s = 0; s < 1 << 20; s++) {
      lane.accept(s);
      lane.deliver(s, s - 1, s);
    }
    org.junit.jupiter.api.Assertions.assertTrue(
        lane.bitmapBytes() < 4096, () -> lane.bitmapBytes() + " bytes");
  }
}
