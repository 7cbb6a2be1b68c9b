package dev.queencell.proxy.limit;

import static dev.queencell.proxy.limit.QueueRegistry.Verdict.ADMITTED;
import static dev.queencell.proxy.limit.QueueRegistry.Verdict.TOO_MANY_PARTITIONS;
import static dev.queencell.proxy.limit.QueueRegistry.Verdict.TOO_MANY_QUEUES;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.queencell.proxy.directory.ClusterLimits;
import dev.queencell.proxy.directory.ClusterView;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class QueueRegistryTest {
  /** A broker's queues, and whether it answers. */
  private static final class Broker implements Inventory {
    final Map<String, Set<String>> queues = new HashMap<>();
    boolean answers = true;
    int questions;

    void has(String queue, String... partitions) {
      queues.put(queue, new TreeSet<>(Set.of(partitions)));
    }

    @Override
    public Optional<Queues> queues(ClusterView cluster) {
      questions++;
      return answers ? Optional.of(list()) : Optional.empty();
    }

    @Override
    public Optional<Set<String>> partitions(ClusterView cluster, String queue) {
      questions++;
      return answers ? Optional.ofNullable(queues.get(queue)) : Optional.empty();
    }

    Queues list() {
      var counts = new HashMap<String, Long>();
      queues.forEach((name, partitions) -> counts.put(name, (long) partitions.size()));
      return new Queues(counts, StorageUse.UNKNOWN);
    }
  }

  private final Broker broker = new Broker();
  private final QueueRegistry registry = new QueueRegistry();

  private QueueRegistry.Verdict admit(String queue, String partition, ClusterView cluster) {
    return registry.admit(queue, partition, cluster, broker);
  }

  @Test
  void aCapOfTwoMeansTwo() {
    var cluster = TestClusters.of("a", TestClusters.capped(2, 2));
    assertEquals(ADMITTED, admit("q1", "p1", cluster));
    assertEquals(ADMITTED, admit("q1", "p1", cluster));
    assertEquals(ADMITTED, admit("q1", "p2", cluster));
    assertEquals(TOO_MANY_PARTITIONS, admit("q1", "p3", cluster));
    assertEquals(ADMITTED, admit("q2", "p1", cluster));
    assertEquals(TOO_MANY_QUEUES, admit("q3", "p1", cluster));
    registry.remove("q2");
    assertEquals(ADMITTED, admit("q3", "p1", cluster));
  }

  @Test
  void whatTheBrokerHadBeforeCountsAndKeepsWorking() {
    var cluster = TestClusters.of("a", TestClusters.capped(2, 2));
    broker.has("q1", "p1", "p2");
    broker.has("q2", "p1");
    assertEquals(TOO_MANY_QUEUES, admit("q3", "p1", cluster));
    assertEquals(ADMITTED, admit("q1", "p2", cluster));
    assertEquals(ADMITTED, admit("q1", "p1", cluster));
    assertEquals(TOO_MANY_PARTITIONS, admit("q1", "p3", cluster));
    assertEquals(ADMITTED, admit("q2", "p2", cluster));
    assertEquals(TOO_MANY_PARTITIONS, admit("q2", "p3", cluster));
  }

  @Test
  void whatExistsOverALoweredCapKeepsWorking() {
    var cluster = TestClusters.of("a", TestClusters.capped(1, 1));
    broker.has("q1", "p1", "p2");
    broker.has("q2", "p1");
    assertEquals(ADMITTED, admit("q1", "p2", cluster));
    assertEquals(ADMITTED, admit("q2", "p1", cluster));
    assertEquals(TOO_MANY_QUEUES, admit("q3", "p1", cluster));
  }

  @Test
  void knownNamesCostNoQuestion() {
    var cluster = TestClusters.of("a", TestClusters.capped(2, 2));
    broker.has("q1", "p1");
    admit("q1", "p1", cluster);
    int before = broker.questions;
    for (int i = 0; i < 100; i++) {
      admit("q1", "p1", cluster);
    }
    assertEquals(before, broker.questions);
  }

  @Test
  void withoutAnAnswerTheProxysOwnCountHolds() {
    var cluster = TestClusters.of("a", TestClusters.capped(1, 1));
    broker.answers = false;
    assertEquals(ADMITTED, admit("q1", "p1", cluster));
    assertEquals(TOO_MANY_QUEUES, admit("q2", "p1", cluster));
    assertEquals(TOO_MANY_PARTITIONS, admit("q1", "p2", cluster));
  }

  @Test
  void aListThatIsOlderThanAnAdmissionDoesNotUndoIt() {
    var cluster = TestClusters.of("a", TestClusters.capped(1, 1));
    assertEquals(ADMITTED, admit("q1", "p1", cluster));
    registry.take(broker.list());
    assertEquals(TOO_MANY_QUEUES, admit("q2", "p1", cluster));
  }

  @Test
  void aQueueThatTheBrokerNoLongerListsMakesRoom() {
    var cluster = TestClusters.of("a", TestClusters.capped(1, 1));
    broker.has("q1", "p1");
    assertEquals(TOO_MANY_QUEUES, admit("q2", "p1", cluster));
    broker.queues.clear();
    registry.take(broker.list());
    assertEquals(ADMITTED, admit("q2", "p1", cluster));
  }

  @Test
  void withoutACapOnPartitionsNoneIsRemembered() {
    var cluster = TestClusters.of("a", TestClusters.capped(1, ClusterLimits.UNLIMITED));
    broker.has("q1", "p1");
    for (int i = 0; i < 1000; i++) {
      assertEquals(ADMITTED, admit("q1", "p" + i, cluster));
    }
    assertEquals(1, broker.questions);
  }

  @Property(tries = 20)
  void sixtyFourThreadsNeverGetOneMoreThanTheCap(@ForAll @IntRange(min = 1, max = 100) int cap)
      throws Exception {
    var shared = new QueueRegistry();
    var cluster = TestClusters.of("a", TestClusters.capped(cap, cap));
    var admitted = new AtomicInteger();
    var start = new CountDownLatch(1);
    var threads = new ArrayList<Thread>();
    for (int i = 0; i < 64; i++) {
      int mine = i;
      threads.add(
          Thread.ofVirtual()
              .start(
                  () -> {
                    try {
                      start.await();
                    } catch (InterruptedException e) {
                      throw new AssertionError(e);
                    }
                    for (int k = 0; k < 3; k++) {
                      if (shared.admit("q" + mine + "-" + k, "p", cluster, broker) == ADMITTED) {
                        admitted.incrementAndGet();
                      }
                    }
                  }));
    }
    start.countDown();
    for (var thread : threads) {
      thread.join();
    }
    assertEquals(cap, admitted.get());
  }
}
