package dev.queencell.broker.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.broker.store.Slice;
import dev.queencell.testsupport.Await;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * A second tenant with the names of the first: the same queues, partitions and groups, other
 * messages. It works once beside each name (pushes; pops and completes the first message in a
 * group) and says at the end whether it has got exactly what it pushed, in order, and nothing else.
 * Nothing that the first tenant does in between may touch it. Thread-safe.
 */
public final class Neighbour {
  public static final UUID TENANT = UUID.fromString("99999999-9999-4999-8999-999999999999");

  /** What its messages begin with, and nobody else's. */
  static final String MARK = "neighbour's ";

  private static final int MESSAGES = 3;
  private static final int BATCH = 100;

  private final Supplier<Engine> engine;

  /** Its partitions by queue, and the groups that the first tenant has there. */
  private final Map<String, Set<String>> partitions = new LinkedHashMap<>();

  private final Map<String, Map<String, List<String>>> seen = new LinkedHashMap<>();

  private boolean worked;

  public Neighbour(Supplier<Engine> engine) {
    this.engine = engine;
  }

  /** The same tenant, as far as it has come, where another engine has what this one had. */
  synchronized Neighbour at(Supplier<Engine> other) {
    var copy = new Neighbour(other);
    partitions.forEach((queue, names) -> copy.partitions.put(queue, new LinkedHashSet<>(names)));
    seen.forEach(
        (queue, groups) -> {
          Map<String, List<String>> copied = new LinkedHashMap<>();
          groups.forEach((group, got) -> copied.put(group, new ArrayList<>(got)));
          copy.seen.put(queue, copied);
        });
    copy.worked = worked;
    return copy;
  }

  /** Pushes to a partition of this name, unless it has done so. */
  public synchronized void push(String queue, String partition) {
    if (!partitions.computeIfAbsent(queue, key -> new LinkedHashSet<>()).add(partition)) {
      return;
    }
    var items = new ArrayList<PushItem>();
    for (var text : texts(partition)) {
      items.add(new PushItem(queue, partition, null, null, Slice.utf8('"' + text + '"')));
    }
    var outcomes = awaited(() -> engine.get().push(TENANT, items));
    outcomes.forEach(outcome -> assertEquals(PushOutcome.Status.QUEUED, outcome.status()));
    worked = true;
    seen.computeIfAbsent(queue, key -> new LinkedHashMap<>());
  }

  /** Takes and completes one message in a group of this name, unless it has done so. */
  public synchronized void pop(String queue, String group) {
    var groups = seen.get(queue);
    if (groups == null || groups.containsKey(group)) {
      return;
    }
    groups.put(group, new ArrayList<>(popped(queue, group, 1)));
    assertEquals(1, groups.get(group).size(), "one message of the neighbour's " + queue);
  }

  /** Everything it has pushed comes to each group, once and in order, and nothing else. */
  public synchronized void check() {
    assertTrue(worked, "the neighbour had nothing to do: give it the same names");
    partitions.forEach(
        (queue, names) -> {
          pop(queue, PopRequest.QUEUE_MODE);
          seen.get(queue).forEach((group, got) -> checkGroup(queue, names, group, got));
        });
    partitions.clear();
    seen.clear();
  }

  private void checkGroup(String queue, Set<String> names, String group, List<String> got) {
    for (var more = popped(queue, group, BATCH);
        !more.isEmpty();
        more = popped(queue, group, BATCH)) {
      got.addAll(more);
    }
    var where = "the neighbour's %s in %s".formatted(queue, group);
    for (var name : names) {
      var wanted = texts(name);
      assertEquals(wanted, got.stream().filter(wanted::contains).toList(), where);
    }
    assertEquals(names.size() * MESSAGES, got.size(), where);
  }

  private static List<String> texts(String partition) {
    var texts = new ArrayList<String>();
    for (int i = 0; i < MESSAGES; i++) {
      texts.add(MARK + partition + " " + i);
    }
    return texts;
  }

  private List<String> popped(String queue, String group, int batch) {
    var got =
        awaited(
            () ->
                EngineFixture.read(
                    engine
                        .get()
                        .pop(
                            new PopRequest(
                                TENANT, queue, null, null, null, group, batch, BATCH, false, 0, 0,
                                false, null))
                        .result()
                        .get(20, TimeUnit.SECONDS)));
    var items = got.stream().map(m -> EngineFixture.item(m, AckStatus.COMPLETED, m.leaseId()));
    if (!got.isEmpty()) {
      var acks = items.toList();
      for (var outcome : awaited(() -> engine.get().ack(TENANT, group, acks))) {
        assertTrue(outcome.success(), outcome.error());
      }
    }
    return EngineFixture.texts(got);
  }

  /** What an engine answers once it is there; the first tenant's test may have it reload. */
  private static <T> T awaited(java.util.concurrent.Callable<T> call) {
    return Await.value(
        "the engine serves the neighbour",
        () -> {
          try {
            return call.call();
          } catch (EngineUnavailableException e) {
            return null;
          } catch (java.util.concurrent.ExecutionException e) {
            if (e.getCause() instanceof EngineUnavailableException) {
              return null;
            }
            throw new IllegalStateException(e);
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
        },
        java.util.Objects::nonNull);
  }
}
