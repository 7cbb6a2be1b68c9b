package dev.queencell.loader.account;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class StageAccountTest {
  private static final int PROPERTIES = 3;

  private record Delivery(int property, long sequence) {}

  /** The same sums, from the list of deliveries, one property at a time. */
  private static StageAccount.Sums reference(List<Delivery> deliveries, Produced produced) {
    long unique = 0;
    long gaps = 0;
    long violations = 0;
    long inFlight = 0;
    for (int p = 0; p < PROPERTIES; p++) {
      int property = p;
      var seen = new HashSet<Long>();
      long highest = -1;
      for (var d : deliveries.stream().filter(d -> d.property() == property).toList()) {
        if (seen.add(d.sequence())) {
          violations += d.sequence() < highest ? 1 : 0;
          highest = Math.max(highest, d.sequence());
        }
      }
      long base = produced.base(p);
      long gap = 0;
      for (long s = base; s <= highest; s++) {
        gap += seen.contains(s) || produced.failed(p).contains(s) ? 0 : 1;
      }
      unique += seen.size();
      gaps += gap;
      inFlight += Math.max(0, produced.highest(p) - Math.max(highest, base - 1));
    }
    long all = deliveries.size();
    return new StageAccount.Sums(all, unique, all - unique, gaps, violations, inFlight);
  }

  @Property(tries = 500)
  void anyInterleavingOfDeliveriesIsJudgedAsTheReferenceJudgesIt(@ForAll long seed) {
    var random = new Random(seed);
    var produced = new Produced(PROPERTIES);
    for (int p = 0; p < PROPERTIES; p++) {
      int count = random.nextInt(40);
      for (long s = 0; s < count; s++) {
        if (random.nextInt(12) == 0) {
          produced.failed(p, s);
        } else {
          produced.accepted(p, s);
        }
      }
    }
    var account = new StageAccount(PROPERTIES);
    var deliveries = new ArrayList<Delivery>();
    for (int i = random.nextInt(150); i > 0; i--) {
      int property = random.nextInt(PROPERTIES);
      long base = produced.base(property);
      long span = produced.highest(property) - base + 1;
      if (span > 0) {
        var delivery = new Delivery(property, base + random.nextLong(span));
        deliveries.add(delivery);
        account.deliver(delivery.property(), delivery.sequence());
      }
    }
    assertEquals(reference(deliveries, produced), account.against(produced));
  }

  @Test
  void onePropertysSurplusNeverHidesAnothersGap() {
    var produced = new Produced(2);
    var account = new StageAccount(2);
    for (long s = 10; s < 20; s++) {
      produced.accepted(0, s);
      produced.accepted(1, s);
    }
    // Property 0 gets more than was ever pushed to it; property 1 loses one.
    for (long s = 0; s < 20; s++) {
      account.deliver(0, s);
    }
    for (long s = 10; s < 20; s++) {
      if (s != 15) {
        account.deliver(1, s);
      }
    }
    assertEquals(1, account.against(produced).gaps());
  }

  @Test
  void aDuplicateIsNoViolation() {
    var produced = new Produced(1);
    var account = new StageAccount(1);
    for (long s = 0; s < 3; s++) {
      produced.accepted(0, s);
      assertTrue(account.deliver(0, s));
    }
    assertFalse(account.deliver(0, 0));
    var sums = account.against(produced);
    assertEquals(1, sums.duplicates());
    assertEquals(0, sums.violations());
    assertTrue(sums.failed(false), "nothing explains it");
    assertFalse(sums.failed(true), "a lost ack does");
  }

  @Test
  void aGapFailsWhateverElseHappenedAndTheTailInFlightNever() {
    var produced = new Produced(1);
    var account = new StageAccount(1);
    for (long s = 0; s < 5; s++) {
      produced.accepted(0, s);
    }
    account.deliver(0, 0);
    account.deliver(0, 1);
    assertEquals(3, account.against(produced).inFlight());
    assertFalse(account.against(produced).failed(false));
    account.deliver(0, 3);
    assertEquals(1, account.against(produced).gaps());
    assertTrue(account.against(produced).failed(true));
  }
}
