package dev.queencell.endtoend;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.cell.postgres.PostgresServer;
import dev.queencell.testsupport.Await;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Two brokers on one database: one serves, one waits, and never do both write. */
class TwoBrokersIT {
  private static final int MESSAGES = 200;

  @Test
  void theStandbyServesSoonAfterTheOwnerIsKilledAndNothingIsLost() throws Exception {
    try (var postgres = PostgresServer.durable();
        var first = new BrokerProcess(postgres)) {
      Await.until("the first owns", () -> first.isRole("owner"));
      try (var second = new BrokerProcess(postgres)) {
        Await.until("the second waits", () -> second.isRole("standby"));
        var accepted = new ArrayList<String>();
        var pushing = new AtomicBoolean(true);
        var producer =
            Thread.ofVirtual()
                .start(
                    () -> {
                      for (int i = 0; pushing.get(); i++) {
                        if (first.push("p" + i % 4, "m" + i)) {
                          synchronized (accepted) {
                            accepted.add("m" + i);
                          }
                        }
                      }
                    });
        Await.until("messages flow", () -> size(accepted) >= MESSAGES);
        long killedNanos = System.nanoTime();
        first.process.kill9();
        Await.until("the second owns", () -> second.isRole("owner"));
        System.out.printf(
            "take-over after kill -9: %d ms%n", (System.nanoTime() - killedNanos) / 1_000_000);
        pushing.set(false);
        producer.join();
        assertTrue(second.push("p0", "after"));
        var delivered = second.drain();
        synchronized (accepted) {
          assertTrue(delivered.containsAll(accepted), "accepted messages are missing");
        }
        assertTrue(delivered.contains("after"));
        assertEquals(delivered.size(), delivered.stream().distinct().count(), "duplicates");
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
        assertTrue(first.push("p", "before"));
        first.process.pause();
        Await.until("the second owns", () -> second.isRole("owner"));
        assertTrue(second.push("p", "during"));
        first.process.resume();
        Await.until("the first has noticed", () -> first.isRole("standby"));
        assertFalse(first.push("p", "never"));
        assertEquals(List.of("before", "during"), second.drain());
      }
    }
  }

  private static int size(List<String> list) {
    synchronized (list) {
      return list.size();
    }
  }
}
