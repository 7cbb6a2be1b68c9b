package dev.queencell.endtoend;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.testsupport.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An outage of the tenant state that is longer than everything that the proxy measures it by: the
 * time that it knows its tenants without asking, the pause between two tries, a batch of usage on
 * disk, and at last the grace. Ten real minutes of it are {@link OutageRun}.
 */
class StateOutageIT {
  private static final int RETRY_MS = 100;
  private static final int FLUSH_MS = 100;

  /** The change feed's own pause. */
  private static final int FEED_RETRY_MS = 250;

  /** First questions that fail side by side, the unknown keys', and the rounds of other parts. */
  private static final int MORE_QUESTIONS = 50;

  /** Long enough for the proxy to be started again amid it, on a busy machine. */
  private static final int GRACE_MS = 45_000;

  private static final Map<String, String> SETTINGS =
      Map.of(
          "QUEENCELL_PROXY_KNOWN_TTL_MS", "500",
          "QUEENCELL_PROXY_STATE_RETRY_MS", Integer.toString(RETRY_MS),
          "QUEENCELL_PROXY_BATCH_ROWS", "2",
          "QUEEN_PROXY_STALE_GRACE_MS", Integer.toString(GRACE_MS),
          "QUEEN_PROXY_METER_FLUSH_MS", Integer.toString(FLUSH_MS));

  private static final int TENANTS = 2;
  private static final int LOAD_SECONDS = 15;
  private static final int FLOWING_MESSAGES = 50;
  private static final int GATEWAY = 502;
  private static final Duration DEADLINE = Duration.ofMinutes(2);

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"killed", "frozen"})
  void knownKeysWorkStoppedTenantsStayStoppedAndNothingIsLost(String how) throws Exception {
    try (var outage = new OutageCell(folder, TENANTS, SETTINGS)) {
      var cell = outage.cell;
      var load = outage.load(40, LOAD_SECONDS);
      Await.until("the load flows", DEADLINE, () -> cell.pushed() >= FLOWING_MESSAGES);
      outage.await("known", OutageCell.TAKEN);
      if (how.equals("killed")) {
        cell.state.kill9();
      } else {
        cell.state.pause();
      }
      long beganNs = System.nanoTime();
      long before = cell.proxyMetric("state_requests");
      Await.until("usage fills batches", DEADLINE, () -> cell.spooled().size() >= 3);
      assertGoesOn(outage);
      long questions = cell.proxyMetric("state_requests") - before;
      long awayMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNs);
      long allowed =
          awayMs / RETRY_MS + awayMs / FLUSH_MS + awayMs / FEED_RETRY_MS + MORE_QUESTIONS;
      assertTrue(questions <= allowed, "%d in %d ms".formatted(questions, awayMs));
      restartProxy(cell);
      assertGoesOn(outage);
      outage.await("known", GATEWAY);
      for (var stopped : OutageCell.STOPPED) {
        assertNotEquals(OutageCell.TAKEN, outage.push(stopped), "the grace ends for all");
      }
      if (how.equals("killed")) {
        cell.startState();
      } else {
        cell.state.resume();
      }
      outage.await("known", OutageCell.TAKEN);
      OutageCell.STOPPED.forEach(slug -> outage.await(slug, OutageCell.REFUSED));
      assertEquals(401, outage.pushUnknown("known"));
      load.exitCode(DEADLINE);
      stopProxy(cell);
      assertEquals(List.of(), cell.spooled());
      assertEquals(List.of(), outage.differences());
    }
  }

  private static void assertGoesOn(OutageCell outage) {
    assertEquals(OutageCell.TAKEN, outage.push("known"));
    for (var slug : OutageCell.STOPPED) {
      assertEquals(OutageCell.REFUSED, outage.push(slug), slug);
    }
    int unknown = outage.pushUnknown("known");
    assertTrue(unknown == 401 || unknown == GATEWAY, () -> "an unknown key got " + unknown);
  }

  private static void restartProxy(CellProcesses cell) {
    stopProxy(cell);
    cell.startProxy();
  }

  private static void stopProxy(CellProcesses cell) {
    cell.proxy.terminate();
    cell.proxy.exitCode(DEADLINE);
  }
}
