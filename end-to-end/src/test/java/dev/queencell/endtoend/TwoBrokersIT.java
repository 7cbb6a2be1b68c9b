package dev.queencell.endtoend;

import static dev.queencell.endtoend.BrokerProcess.NEIGHBOUR;
import static dev.queencell.endtoend.BrokerProcess.TENANT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.cell.postgres.PostgresServer;
import dev.queencell.testsupport.Await;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/**
 * Two brokers on one database: one serves, one waits, and never do both write. Two tenants have the
 * same names; each finds its own.
 */
class TwoBrokersIT {
  private static final int MESSAGES = 200;

  @Test
  void theStandbyServesSoonAfterTheOwnerIsKilledAndNothingIsLost() throws Exception {
    try (var postgres = PostgresServer.durable();
        var first = new BrokerProcess(postgres)) {
      Await.until("the first owns", () -> first.isRole("owner"));
      try (var second = new BrokerProcess(postgres)) {
        Await.until("the second waits", () -> second.isRole("standby"));
        List<String> accepted = Collections.synchronizedList(new ArrayList<>());
        List<String> neighbours = Collections.synchronizedList(new ArrayList<>());
        var pushing = new AtomicBoolean(true);
        var producer =
            Thread.ofVirtual()
                .start(
                    () -> {
                      for (int i = 0; pushing.get(); i++) {
                        if (first.push(TENANT, "p" + i % 4, "m" + i)) {
                          accepted.add("m" + i);
                        }
                        if (first.push(NEIGHBOUR, "p" + i % 4, "n" + i)) {
                          neighbours.add("n" + i);
                        }
                      }
                    });
        Await.until("messages flow", () -> accepted.size() + neighbours.size() >= MESSAGES);
        long killedNanos = System.nanoTime();
        first.process.kill9();
        Await.until("the second owns", () -> second.isRole("owner"));
        System.out.printf(
            "take-over after kill -9: %d ms%n", (System.nanoTime() - killedNanos) / 1_000_000);
        pushing.set(false);
        producer.join();
        assertTrue(second.push(TENANT, "p0", "m after"));
        accepted.add("m after");
        assertKept(accepted, "m", second.drain(TENANT));
        assertKept(neighbours, "n", second.drain(NEIGHBOUR));
      }
    }
  }

  @Test
  void anOwnerThatWasFrozenWakesUpUnableToWrite() {
    try (var postgres = PostgresServer.durable();
        var first = new BrokerProcess(postgres)) {
      Await.until("the first owns", () -> first.isRole("owner"));
      try (var second = new BrokerProcess(postgres)) {
        Await.until("the second waits", () -> second.isRole("standby"));
        assertTrue(first.push(TENANT, "p", "before"));
        assertTrue(first.push(NEIGHBOUR, "p", "theirs before"));
        first.process.pause();
        Await.until("the second owns", () -> second.isRole("owner"));
        assertTrue(second.push(TENANT, "p", "during"));
        first.process.resume();
        Await.until("the first has noticed", () -> first.isRole("standby"));
        assertFalse(first.push(TENANT, "p", "never"));
        assertFalse(first.push(NEIGHBOUR, "p", "theirs never"));
        assertEquals(List.of("before", "during"), second.drain(TENANT));
        assertEquals(List.of("theirs before"), second.drain(NEIGHBOUR));
      }
    }
  }

  private static void assertKept(List<String> accepted, String mark, List<String> delivered) {
    assertTrue(delivered.containsAll(accepted), "accepted messages are missing");
    assertTrue(delivered.stream().allMatch(text -> text.startsWith(mark)), "the other tenant's");
    assertEquals(delivered.size(), delivered.stream().distinct().count(), "duplicates");
  }
}
