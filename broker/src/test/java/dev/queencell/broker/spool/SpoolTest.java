package dev.queencell.broker.spool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.broker.crypto.PayloadCipher;
import dev.queencell.broker.engine.PushItem;
import dev.queencell.broker.store.Slice;
import dev.queencell.testsupport.Await;
import dev.queencell.testsupport.JavaProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files of the spool: what is kept, what is cut, what is refused. */
class SpoolTest {
  private static final UUID TENANT = new UUID(0, 9);
  private static final PayloadCipher CIPHER = PayloadCipher.of(List.of("ab".repeat(32)));

  @TempDir Path directory;

  static PushItem item(String text) {
    var id = UUID.nameUUIDFromBytes(text.getBytes(StandardCharsets.UTF_8));
    return new PushItem(
        "q", "p", Slice.utf8("id-" + text), Slice.utf8("ann"), Slice.utf8('"' + text + '"'), id);
  }

  private Spool open(PayloadCipher cipher, int recordsPerFile) {
    return Spool.open(new SpoolConfig(directory, 1 << 20, recordsPerFile, 3, 10), cipher);
  }

  private Spool open() {
    return open(PayloadCipher.NONE, 1000);
  }

  private static boolean append(Spool spool, String... texts) {
    return spool.append(TENANT, List.of(texts).stream().map(SpoolTest::item).toList());
  }

  /** Takes everything out, in order. */
  private static List<String> drain(Spool spool) throws IOException {
    var texts = new ArrayList<String>();
    for (var batch = spool.next(); batch != null; batch = spool.next()) {
      assertTrue(batch.entries.size() <= 3);
      for (var entry : batch.entries) {
        assertEquals(TENANT, entry.record.tenant());
        texts.add(checked(entry.item()));
      }
      spool.replayed(batch);
    }
    return texts;
  }

  /** The text of an item that came back whole. */
  private static String checked(PushItem item) {
    var text = item.payload().text().replace("\"", "");
    assertEquals(item(text).id(), item.id());
    assertEquals("q/p", item.queue() + "/" + item.partition());
    assertEquals("id-" + text, item.transactionId().text());
    assertEquals("ann", item.producer().text());
    return text;
  }

  private List<Path> files() throws IOException {
    try (var all = Files.list(directory)) {
      return all.filter(path -> path.toString().endsWith(".spool")).sorted().toList();
    }
  }

  @Test
  void recordsComeBackInOrderAlsoAfterAReopenAndOverManyFiles() throws IOException {
    try (var spool = open(PayloadCipher.NONE, 2)) {
      for (int i = 0; i < 7; i++) {
        assertTrue(append(spool, "a" + i, "b" + i));
      }
      assertEquals(14, spool.status().pendingRecords());
    }
    try (var spool = open(PayloadCipher.NONE, 2)) {
      assertEquals(14, spool.status().pendingRecords());
      var expected = new ArrayList<String>();
      for (int i = 0; i < 7; i++) {
        expected.addAll(List.of("a" + i, "b" + i));
      }
      assertEquals(expected, drain(spool));
      assertTrue(spool.isEmpty());
      assertEquals(List.of(), files());
      assertEquals(0, spool.status().bytes());
      assertTrue(append(spool, "later"));
      assertEquals(List.of("later"), drain(spool));
    }
  }

  @Test
  void theReplayGoesOnWhereItStopped() throws IOException {
    try (var spool = open()) {
      append(spool, "a", "b", "c", "d", "e");
      spool.replayed(spool.next());
      spool.next();
    }
    try (var spool = open()) {
      assertEquals(List.of("d", "e"), drain(spool));
    }
  }

  @Test
  void whereverACrashTearsTheLastRecordTheOthersStay() throws IOException {
    try (var spool = open()) {
      append(spool, "a", "b");
      append(spool, "torn");
    }
    var file = files().getFirst();
    var whole = Files.readAllBytes(file);
    int last = new SpoolRecord(TENANT, item("torn")).encode(PayloadCipher.NONE).length;
    for (int length = whole.length - 1; length >= whole.length - last; length--) {
      Files.write(file, java.util.Arrays.copyOf(whole, length));
      try (var spool = open()) {
        assertEquals(2, spool.status().pendingRecords(), "cut at " + length);
        assertTrue(append(spool, "new"));
      }
      try (var spool = open()) {
        assertEquals(List.of("a", "b", "new"), drain(spool));
        assertEquals(0, spool.status().failedFiles());
      }
    }
  }

  @Test
  void aCrashInTheFirstByteOfAFileLeavesNothing() throws IOException {
    try (var spool = open()) {
      append(spool, "a");
    }
    var file = files().getFirst();
    for (int length = 0; length < 8; length++) {
      Files.write(
          file, java.util.Arrays.copyOf("QCSPOOL1".getBytes(StandardCharsets.UTF_8), length));
      try (var spool = open()) {
        assertTrue(spool.isEmpty(), "length " + length);
      }
    }
  }

  @Test
  void aSpoiledFileBeforeTheLastIsKeptAside() throws IOException {
    try (var spool = open(PayloadCipher.NONE, 2)) {
      append(spool, "a", "b");
      append(spool, "c", "d");
    }
    var bytes = Files.readAllBytes(files().getFirst());
    bytes[bytes.length - 2] ^= 4;
    Files.write(files().getFirst(), bytes);
    try (var spool = open()) {
      assertEquals(List.of("a", "c", "d"), drain(spool));
      assertEquals(1, spool.status().failedFiles());
    }
  }

  @Test
  void aFileOfAnotherKindEndsTheStart() throws IOException {
    Files.writeString(directory.resolve("0000000000000001.spool"), "something else");
    var problem = assertThrows(IllegalStateException.class, this::open);
    assertTrue(problem.getMessage().contains("no spool file"), problem.getMessage());
  }

  @Test
  void aFullSpoolRefusesAndTakesAgainWhenItIsDrained() throws IOException {
    try (var spool = Spool.open(new SpoolConfig(directory, 2_000, 10, 3, 10), PayloadCipher.NONE)) {
      var kept = new ArrayList<String>();
      for (int i = 0; append(spool, "m" + i); i++) {
        kept.add("m" + i);
      }
      assertTrue(kept.size() > 5 && kept.size() < 40, "kept " + kept.size());
      assertTrue(spool.status().bytes() <= 2_000);
      assertFalse(append(spool, "again"));
      assertEquals(kept, drain(spool));
      assertTrue(append(spool, "again"));
    }
  }

  @Test
  void aDiskThatRefusesIsToldAndUsedAgainWhenItRecovers() throws IOException {
    try (var spool = open(PayloadCipher.NONE, 1)) {
      assertTrue(append(spool, "a"));
      var away = directory.resolveSibling(directory.getFileName() + "-away");
      Files.move(directory, away);
      assertFalse(append(spool, "lost"));
      assertFalse(spool.status().healthy());
      assertEquals(1, spool.status().pendingRecords());
      Files.move(away, directory);
      assertTrue(append(spool, "b"));
      assertTrue(spool.status().healthy());
      assertEquals(List.of("a", "b"), drain(spool));
    }
  }

  @Test
  void aSecondBrokerOnTheSameDirectoryDoesNotStart() {
    try (var spool = open()) {
      assertTrue(spool.isEmpty());
      var problem = assertThrows(IllegalStateException.class, this::open);
      assertTrue(problem.getMessage().contains("in use by another broker"), problem.getMessage());
    }
  }

  @Test
  void withAKeyNothingLegibleIsOnTheDisk() throws IOException {
    try (var spool = open(CIPHER, 1000)) {
      append(spool, "legible-payload");
    }
    var disk = new String(Files.readAllBytes(files().getFirst()), StandardCharsets.ISO_8859_1);
    assertFalse(disk.contains("\"legible-payload\""));
    try (var spool = open()) {
      var entry = spool.next().entries.getFirst();
      assertEquals(null, entry.record, "no key, no record");
    }
    try (var spool = open(CIPHER, 1000)) {
      assertEquals(List.of("legible-payload"), drain(spool));
    }
  }

  @Test
  void onlyTheBrokersUserCanReadIt() throws IOException {
    try (var spool = open()) {
      append(spool, "a");
      var permissions = Files.getPosixFilePermissions(files().getFirst());
      assertEquals("rw-------", java.nio.file.attribute.PosixFilePermissions.toString(permissions));
    }
  }

  @Test
  void whatManyAppendAtOnceIsAllThereEachInItsOwnOrder() throws Exception {
    int threads = 16;
    int each = 50;
    try (var spool = open(PayloadCipher.NONE, 100);
        var pool = Executors.newVirtualThreadPerTaskExecutor()) {
      var tasks = new ArrayList<Callable<Boolean>>();
      for (int thread = 0; thread < threads; thread++) {
        int number = thread;
        tasks.add(
            () -> {
              boolean all = true;
              for (int i = 0; i < each; i++) {
                all &= append(spool, "%02d-%03d".formatted(number, i));
              }
              return all;
            });
      }
      for (var future : pool.invokeAll(tasks)) {
        assertTrue(future.get());
      }
      var texts = drain(spool);
      assertEquals(threads * each, texts.size());
      for (int thread = 0; thread < threads; thread++) {
        var prefix = "%02d-".formatted(thread);
        var own = texts.stream().filter(text -> text.startsWith(prefix)).toList();
        assertEquals(own.stream().sorted().toList(), own);
        assertEquals(each, own.size());
      }
    }
  }

  @Test
  void whatWasKeptSurvivesAKilledProcess() throws IOException {
    try (var process =
        JavaProcess.ofClass(SpoolWriter.class.getName()).argument(directory.toString()).start()) {
      Await.until("some are kept", () -> process.output().size() > 500);
      process.kill9();
      Await.until("it is gone", () -> !process.isAlive());
      var kept = process.output().stream().filter(line -> line.startsWith("kept ")).toList();
      try (var spool = open()) {
        var there = drain(spool);
        assertTrue(there.size() >= kept.size(), there.size() + " of " + kept.size());
        for (int i = 0; i < kept.size(); i++) {
          assertEquals(kept.get(i), "kept " + there.get(i));
        }
      }
    }
  }
}
