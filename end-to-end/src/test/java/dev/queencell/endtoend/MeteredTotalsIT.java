package dev.queencell.endtoend;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.testsupport.Await;
import dev.queencell.testsupport.JavaProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The tenant state's totals beside the loader's own account, tenant by tenant. What a client was
 * told is metered, exactly once, whoever is killed. Where an answer was lost the loader can't know
 * what the broker did, and the totals may be higher by the messages of those requests, never lower:
 *
 * <ul>
 *   <li>accepted ≤ pushed by the meter ≤ accepted + failed;
 *   <li>deliveries ≤ delivered by the meter ≤ deliveries + the batches of lost pops.
 * </ul>
 *
 * Without a lost answer both are equalities.
 */
class MeteredTotalsIT {
  private static final int TENANTS = 2;
  private static final int CONSUMERS = 2;
  private static final int POP_BATCH = 20;
  private static final int STEP_MESSAGES = 50;

  /** Long enough for three restarts on a busy machine. */
  private static final int LOAD_SECONDS = 16;

  private static final Duration RUN_DEADLINE = Duration.ofMinutes(2);

  @TempDir Path folder;

  /** What the meter has of one tenant. */
  private record Metered(long pushed, long delivered) {
    Metered minus(Metered before) {
      return new Metered(pushed - before.pushed, delivered - before.delivered);
    }
  }

  @Test
  void whatTheLoaderCountedIsMeteredThoughProxyAndTenantStateAreKilled() throws Exception {
    try (var cell = new CellProcesses(folder)) {
      var file = folder.resolve("tenants.json");
      cell.provision(TENANTS, file);
      var tenants = JsonMapper.shared().readTree(Files.readAllBytes(file));

      var calm = record(start(cell, file, "calm", 2), "calm");
      stopProxy(cell);
      var before = new Metered[TENANTS];
      for (int t = 0; t < TENANTS; t++) {
        var counted = calm.get(t);
        before[t] = metered(cell, tenants.get(t));
        assertEquals(0, number(counted, "failed"), counted::toString);
        assertTrue(number(counted, "accepted") > 0, counted::toString);
        assertEquals(number(counted, "accepted"), before[t].pushed, counted::toString);
        assertEquals(deliveries(counted), before[t].delivered, counted::toString);
      }

      cell.startProxy();
      var run = start(cell, file, "kills", LOAD_SECONDS);
      killAll(cell);
      var stormy = record(run, "kills");
      stopProxy(cell);
      for (int t = 0; t < TENANTS; t++) {
        compare(stormy.get(t), metered(cell, tenants.get(t)).minus(before[t]));
      }
    }
  }

  private static void killAll(CellProcesses cell) {
    flow(cell);
    cell.proxy.kill9();
    cell.startProxy();
    flow(cell);
    cell.state.kill9();
    flow(cell);
    // The next one starts with what its predecessor knew and counted.
    cell.proxy.kill9();
    cell.startProxy();
    flow(cell);
    cell.startState();
  }

  private static void flow(CellProcesses cell) {
    long wanted = cell.pushed() + STEP_MESSAGES;
    Await.until("messages flow", () -> cell.pushed() >= wanted);
  }

  private static void compare(JsonNode counted, Metered metered) {
    long accepted = number(counted, "accepted");
    assertTrue(
        accepted <= metered.pushed && metered.pushed <= accepted + number(counted, "failed"),
        () -> "%s for pushes of %s".formatted(metered, counted));
    long unanswered = number(counted.get("causes"), "popsLost") + CONSUMERS;
    long delivered = deliveries(counted);
    assertTrue(
        delivered <= metered.delivered && metered.delivered <= delivered + unanswered * POP_BATCH,
        () -> "%s for deliveries of %s".formatted(metered, counted));
  }

  /** A stop hands over everything, so that the totals are final. */
  private static void stopProxy(CellProcesses cell) {
    cell.proxy.terminate();
    cell.proxy.exitCode(RUN_DEADLINE);
    assertEquals(List.of(), cell.spooled());
  }

  private static long deliveries(JsonNode counted) {
    return number(counted, "delivered") + number(counted, "duplicate");
  }

  private static Metered metered(CellProcesses cell, JsonNode tenant) {
    var path = "/api/cp/clusters/" + tenant.get("clusterId").stringValue() + "/usage?hours=2";
    long pushed = 0;
    long delivered = 0;
    for (var row : cell.control("GET", path, "").get("rows")) {
      switch (row.get("op_class").stringValue()) {
        case "push" -> pushed += number(row, "msgs");
        case "delivery" -> delivered += number(row, "msgs");
        default -> assertEquals(0, number(row, "msgs"), row::toString);
      }
    }
    return new Metered(pushed, delivered);
  }

  private static long number(JsonNode of, String name) {
    return of.get(name).longValue();
  }

  private JavaProcess start(CellProcesses cell, Path tenants, String name, int seconds) {
    return cell.loader(
        "-mode",
        "cloud",
        "-target",
        "proxy",
        "-url",
        cell.proxyUrl(),
        "-tenants-file",
        tenants.toString(),
        "-shared-queue",
        "-partitions",
        "2",
        "-rate",
        "150",
        "-consumers-per-tenant",
        Integer.toString(CONSUMERS),
        "-pop-batch",
        Integer.toString(POP_BATCH),
        "-pop-wait",
        "-pop-timeout",
        "1000",
        "-lease-time",
        "2",
        "-duration",
        Integer.toString(seconds),
        "-drain",
        "20",
        "-report",
        "1",
        "-out",
        folder.toString(),
        "-run-id",
        name);
  }

  /** The accounts of a run that passed. */
  private JsonNode record(JavaProcess run, String name) throws Exception {
    assertEquals(0, run.exitCode(RUN_DEADLINE), () -> String.join("\n", run.output()));
    return JsonMapper.shared()
        .readTree(Files.readAllBytes(folder.resolve(name + ".json")))
        .get("tenants");
  }
}
