package dev.queencell.broker.engine;

import static dev.queencell.broker.engine.EngineFixture.TENANT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.service.Json;
import dev.queencell.testsupport.TestDatabase;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Consumers that wait for one partition each: whatever gives it something to deliver wakes them.
 */
@Timeout(120)
class PinnedPopsIT {
  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();

  private static final String PARTITION = "mine";
  private static final int WAIT_MS = 60_000;
  private static final int LEASE_SECONDS = 300;

  private static EngineFixture cell;
  private String queue;

  @BeforeAll
  static void open() {
    // Room for next to nothing: what is delivered twice is read back.
    cell = new EngineFixture(DATABASE, 100);
  }

  @AfterAll
  static void close() {
    cell.close();
  }

  @BeforeEach
  void name(TestInfo test) {
    queue = "pinned." + test.getTestMethod().orElseThrow().getName();
  }

  private CompletableFuture<PopResult> park(String partition, int leaseSeconds) {
    return cell.engine
        .pop(
            new PopRequest(
                TENANT,
                queue,
                partition,
                null,
                null,
                PopRequest.QUEUE_MODE,
                10,
                1,
                false,
                WAIT_MS,
                leaseSeconds,
                false,
                null))
        .result();
  }

  private static List<EngineFixture.Got> got(CompletableFuture<PopResult> pop) throws Exception {
    return EngineFixture.got(pop.get(30, TimeUnit.SECONDS));
  }

  private static void assertBrings(String text, CompletableFuture<PopResult> pop) throws Exception {
    assertEquals(List.of(text), EngineFixture.texts(got(pop)));
  }

  @Test
  void aPushToAPartitionThatIsNewOrNot() throws Exception {
    var first = park(PARTITION, LEASE_SECONDS);
    cell.push(queue, PARTITION, "a");
    var taken = got(first);
    assertEquals(List.of("a"), EngineFixture.texts(taken));
    cell.ackAll(taken);
    var second = park(PARTITION, LEASE_SECONDS);
    cell.push(queue, "another", "x");
    assertFalse(second.isDone());
    cell.push(queue, PARTITION, "b");
    assertBrings("b", second);
  }

  @Test
  void aFailedAcknowledgement() throws Exception {
    cell.push(queue, PARTITION, "a");
    var taken = got(park(PARTITION, LEASE_SECONDS));
    var waiting = park(PARTITION, LEASE_SECONDS);
    cell.ackAll(taken, AckStatus.RETRY);
    assertBrings("a", waiting);
  }

  @Test
  void anAcknowledgementWithMoreBehindIt() throws Exception {
    cell.push(queue, PARTITION, "a");
    var taken = got(park(PARTITION, LEASE_SECONDS));
    cell.push(queue, PARTITION, "b");
    var waiting = park(PARTITION, LEASE_SECONDS);
    assertFalse(waiting.isDone());
    cell.ackAll(taken);
    assertBrings("b", waiting);
  }

  @Test
  void aLeaseThatExpires() throws Exception {
    cell.push(queue, PARTITION, "a");
    assertBrings("a", park(PARTITION, 1));
    assertBrings("a", park(PARTITION, LEASE_SECONDS));
  }

  @Test
  void aCursorThatIsMovedBack() throws Exception {
    cell.push(queue, PARTITION, "a");
    cell.ackAll(got(park(PARTITION, LEASE_SECONDS)));
    var waiting = park(PARTITION, LEASE_SECONDS);
    cell.engine
        .groups()
        .seekPartition(TENANT, PopRequest.QUEUE_MODE, queue, PARTITION, Instant.EPOCH);
    assertBrings("a", waiting);
  }

  @Test
  void aDelayThatIsOver() throws Exception {
    cell.engine.configure(
        TENANT, queue, null, null, Json.object().put("delayedProcessing", 1), false);
    cell.push(queue, PARTITION, "a");
    assertBrings("a", park(PARTITION, LEASE_SECONDS));
  }

  @Test
  void onlyTheConsumersOfAPartitionAreLookedAtWhenItGetsAMessage() throws Exception {
    int others = 10_000;
    for (int i = 0; i < others; i++) {
      var _ = park("other" + i, LEASE_SECONDS);
    }
    // Twice, since a first time loads classes.
    for (int round = 0; round < 2; round++) {
      long before = LaneThreads.allocatedBytes();
      var waiting = park(PARTITION, LEASE_SECONDS);
      cell.push(queue, PARTITION, "a");
      cell.ackAll(got(waiting));
      long allocated = LaneThreads.allocatedBytes() - before;
      System.out.printf("%,d bytes beside %,d waiting consumers%n", allocated, others);
      assertTrue(round == 0 || allocated < 20L * others, "bytes: " + allocated);
    }
  }
}
