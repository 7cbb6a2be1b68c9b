package dev.queencell.proxy.meter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.testsupport.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MeterTest {
  private static final UUID CLUSTER = new UUID(1, 2);
  private static final Instant NOW = Instant.parse("2026-11-30T18:55:17Z");
  private static final long NEVER_MS = 3_600_000;

  @TempDir private Path folder;

  /** Adds up what it is sent, once per batch, like the tenant state. */
  private static final class Ledger implements UsageSink {
    final Map<UUID, UsageBatch> batches = new HashMap<>();
    final List<Outcome> answers = new ArrayList<>();
    int sendings;
    boolean there = true;

    @Override
    public synchronized Outcome send(UsageBatch batch) {
      sendings++;
      if (!answers.isEmpty()) {
        var answer = answers.removeFirst();
        if (answer == Outcome.AWAY) {
          // It was added; only the answer got lost.
          batches.put(batch.id(), batch);
        }
        return answer;
      }
      if (!there) {
        return Outcome.AWAY;
      }
      batches.put(batch.id(), batch);
      return Outcome.TAKEN;
    }

    synchronized long messages() {
      return batches.values().stream()
          .flatMap(batch -> batch.rows().stream())
          .mapToLong(UsageRow::messages)
          .sum();
    }

    synchronized int sendings() {
      return sendings;
    }
  }

  private Meter meter(UsageSink sink, long intervalMs) {
    return Meter.start(folder, sink, () -> NOW, intervalMs, Meter.BATCH_ROWS_MAX, 2_000);
  }

  private static void push(Meter meter, long messages) {
    meter.add(CLUSTER, UsageClass.PUSH, 1, messages, 10, 20);
  }

  @Test
  void usageIsAddedUpByClusterMinuteAndClass() {
    var ledger = new Ledger();
    try (var meter = meter(ledger, NEVER_MS)) {
      push(meter, 3);
      push(meter, 4);
      meter.add(CLUSTER, UsageClass.DELIVERY, 1, 5, 0, 7);
      meter.add(new UUID(9, 9), UsageClass.PUSH, 1, 1, 0, 0);
    }
    var rows = ledger.batches.values().iterator().next().rows();
    var minute = Instant.parse("2026-11-30T18:55:00Z");
    assertEquals(
        List.of(
            new UsageRow(CLUSTER, minute, UsageClass.PUSH, 2, 7, 20, 40),
            new UsageRow(CLUSTER, minute, UsageClass.DELIVERY, 1, 5, 0, 7),
            new UsageRow(new UUID(9, 9), minute, UsageClass.PUSH, 1, 1, 0, 0)),
        rows);
    assertEquals(List.of(), files(), "what was taken is off the disk");
  }

  @Test
  void aLostAnswerCountsOnce() {
    var ledger = new Ledger();
    ledger.answers.add(UsageSink.Outcome.AWAY);
    ledger.answers.add(UsageSink.Outcome.AWAY);
    try (var meter = meter(ledger, 10)) {
      push(meter, 3);
      Await.until("the batch is taken", () -> meter.taken() == 1);
    }
    assertEquals(3, ledger.messages());
    assertTrue(ledger.sendings() >= 3);
  }

  @Test
  void whatAProcessLeavesBehindIsSentByTheNextOne() throws IOException {
    var ledger = new Ledger();
    ledger.there = false;
    // Nobody closes this one: it is what a kill -9 leaves.
    var killed = meter(ledger, NEVER_MS);
    push(killed, 3);
    push(killed, 4);
    var copy = Files.createDirectory(folder.resolve("copy"));
    for (var file : files()) {
      Files.copy(file, copy.resolve(file.getFileName()));
    }
    killed.close();
    ledger.there = true;
    try (var next = Meter.start(copy, ledger, () -> NOW, 10, Meter.BATCH_ROWS_MAX, 2_000)) {
      Await.until("it is sent", () -> next.taken() == 1);
    }
    assertEquals(7, ledger.messages());
  }

  @Test
  void aFileThatWasBeingMadeWhenTheProcessEndedIsNoBatch() throws IOException {
    Files.write(folder.resolve("meter-1-1.usage"), new byte[100]);
    Files.write(folder.resolve("meter-1-2.usage"), new byte[256_064]);
    var ledger = new Ledger();
    meter(ledger, NEVER_MS).close();
    assertEquals(0, ledger.messages());
    assertEquals(List.of(), files());
  }

  @Test
  void whileTheTenantStateIsAwayOneFileFillsAndNothingIsLost() {
    var ledger = new Ledger();
    ledger.there = false;
    try (var meter = meter(ledger, 5)) {
      for (int i = 0; i < 10_000; i++) {
        meter.add(new UUID(1, i), UsageClass.PUSH, 1, 1, 0, 0);
      }
      int before = ledger.sendings();
      Await.until("it was tried again", () -> ledger.sendings() > before + 3);
      assertTrue(meter.waiting() <= 4, "10,000 rows in files of 4,000: " + meter.waiting());
      ledger.there = true;
      Await.until("all is told", () -> ledger.messages() == 10_000);
    }
    assertEquals(10_000, ledger.messages());
  }

  @Test
  void aRejectedBatchStaysOnDiskAndHoldsUpNobody() {
    var ledger = new Ledger();
    ledger.answers.add(UsageSink.Outcome.REJECTED);
    try (var meter = meter(ledger, 10)) {
      push(meter, 3);
      Await.until("the first batch is put aside", () -> meter.rejected() == 1);
      push(meter, 4);
      Await.until("the next one is taken", () -> meter.taken() == 1);
    }
    assertEquals(4, ledger.messages());
    assertEquals(1, files().stream().filter(f -> f.toString().endsWith(".rejected")).count());
  }

  @Test
  void manyThreadsAndManyBatchesAddUpExactly() throws Exception {
    var ledger = new Ledger();
    long seed = System.nanoTime();
    long expected;
    try (var meter = meter(ledger, 1)) {
      var threads = new ArrayList<Thread>();
      var sums = new long[16];
      for (int t = 0; t < sums.length; t++) {
        int mine = t;
        threads.add(
            Thread.ofVirtual()
                .start(
                    () -> {
                      var random = new Random(seed + mine);
                      for (int i = 0; i < 5_000; i++) {
                        int messages = random.nextInt(100);
                        sums[mine] += messages;
                        meter.add(
                            new UUID(0, random.nextInt(50)),
                            random.nextBoolean() ? UsageClass.PUSH : UsageClass.TXN,
                            1,
                            messages,
                            0,
                            0);
                      }
                    }));
      }
      for (var thread : threads) {
        thread.join();
      }
      expected = Arrays.stream(sums).sum();
    }
    assertEquals(expected, ledger.messages(), "seed " + seed);
    assertEquals(List.of(), files());
  }

  private List<Path> files() {
    try (var files = Files.list(folder)) {
      return files.filter(Files::isRegularFile).toList();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
