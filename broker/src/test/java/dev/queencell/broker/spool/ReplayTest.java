package dev.queencell.broker.spool;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.queencell.broker.crypto.PayloadCipher;
import dev.queencell.broker.engine.EngineUnavailableException;
import dev.queencell.broker.engine.PushItem;
import dev.queencell.broker.engine.PushOutcome;
import dev.queencell.broker.engine.PushOutcome.Status;
import dev.queencell.testsupport.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the replay does with a destination that refuses. */
class ReplayTest {
  private static final UUID TENANT = new UUID(0, 1);

  @TempDir Path directory;
  private final List<String> stored = Collections.synchronizedList(new ArrayList<>());
  private final AtomicInteger tries = new AtomicInteger();
  private volatile boolean open = true;
  private volatile Function<String, PushOutcome> verdict = text -> null;
  private Spool spool;
  private Replay replay;

  private final class Fake implements Replay.Destination {
    @Override
    public boolean open() {
      return open;
    }

    @Override
    public List<PushOutcome> push(UUID tenant, List<PushItem> items) {
      tries.incrementAndGet();
      var outcomes = new ArrayList<PushOutcome>();
      for (var item : items) {
        var text = item.payload().text().replace("\"", "");
        var refusal = verdict.apply(text);
        if (refusal == null) {
          stored.add(text);
        }
        outcomes.add(
            refusal == null
                ? new PushOutcome(Status.QUEUED, item.id(), item.transactionId())
                : refusal);
      }
      return outcomes;
    }
  }

  @BeforeEach
  void start() {
    spool = Spool.open(new SpoolConfig(directory, 1 << 20, 1000, 100, 1), PayloadCipher.NONE);
    replay = new Replay(spool, new Fake(), 1);
  }

  @AfterEach
  void end() {
    replay.close();
    spool.close();
  }

  private void append(String... texts) {
    spool.append(TENANT, List.of(texts).stream().map(SpoolTest::item).toList());
  }

  private void run() {
    Thread.ofPlatform().start(replay);
  }

  private void awaitEmpty() {
    Await.until("everything is replayed", spool::isEmpty);
  }

  @Test
  void whileTheDestinationIsClosedNothingIsTried() {
    open = false;
    append("a");
    run();
    append("b");
    assertEquals(0, tries.get());
    open = true;
    awaitEmpty();
    assertEquals(List.of("a", "b"), stored);
  }

  @Test
  void whatPassesByItselfIsTriedWithoutEnd() {
    var seen = new AtomicInteger();
    verdict =
        text -> {
          if (seen.incrementAndGet() <= 4) {
            throw new EngineUnavailableException("away", null);
          }
          return seen.get() <= 9 ? PushOutcome.failed(null, PushOutcome.IN_DOUBT) : null;
        };
    append("a");
    run();
    awaitEmpty();
    assertEquals(List.of("a"), stored);
    assertEquals(0, spool.status().failedFiles());
  }

  @Test
  void oneThatIsRefusedForAReasonOfItsOwnGoesAsideAfterFiveTries() throws Exception {
    var tried = new AtomicInteger();
    verdict =
        text -> {
          if (!text.equals("bad")) {
            return null;
          }
          tried.incrementAndGet();
          return PushOutcome.failed(null, "too odd");
        };
    append("a", "bad", "b");
    append("c");
    run();
    awaitEmpty();
    assertEquals(5, tried.get());
    assertEquals(List.of("a", "b", "c"), stored);
    assertEquals(1, spool.status().failedFiles());
    try (var failed = Files.list(directory.resolve("failed"))) {
      var kept =
          SpoolRecord.decode(
              Files.readAllBytes(failed.findFirst().orElseThrow()), PayloadCipher.NONE);
      assertEquals("\"bad\"", kept.item().payload().text());
    }
  }

  @Test
  void oneThatBreaksTheWholePushIsFoundAndTheOthersAreStoredOnce() {
    verdict =
        text -> {
          if (text.equals("bad")) {
            throw new IllegalArgumentException("breaks everything");
          }
          return null;
        };
    append("bad", "a", "b");
    run();
    awaitEmpty();
    assertEquals(List.of("a", "b"), stored);
    assertEquals(1, spool.status().failedFiles());
  }
}
