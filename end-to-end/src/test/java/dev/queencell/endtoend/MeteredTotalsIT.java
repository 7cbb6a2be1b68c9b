package dev.queencell.endtoend;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.testsupport.Await;
import dev.queencell.testsupport.JavaProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The tenant state's totals beside the loader's own account, tenant by tenant, with kills of proxy
 * and tenant state in the middle of the run.
 *
 * <p>Nothing that a kill of the tenant state, or a stop of the proxy in order, can do makes a
 * difference: the totals are equal, message for message. A killed proxy takes the answers of the
 * requests that it had under way with it, and of these nobody outside can tell which were counted
 * before the kill and which were not. So there the totals are held to what can be told:
 *
 * <ul>
 *   <li>what a client was told is counted: accepted ≤ pushed by the meter;
 *   <li>what the broker doesn't have is not: pushed by the meter ≤ stored, by the broker's own
 *       count, so that without an unanswered push that was stored both are equalities;
 *   <li>deliveries ≤ delivered by the meter ≤ deliveries + the batches of lost pops, since a pop
 *       that was lost leases messages which are delivered, and counted, once more.
 * </ul>
 */
class MeteredTotalsIT {
  private static final int TENANTS = 2;
  private static final int CONSUMERS = 2;
  private static final int POP_BATCH = 20;
  private static final int STEP_MESSAGES = 50;

  /** Long enough for three restarts on a busy machine. */
  private static final int LOAD_SECONDS = 25;

  private static final Duration RUN_DEADLINE = Duration.ofMinutes(2);

  @TempDir Path folder;
  private CellProcesses cell;
  private Path file;

  @AfterEach
  void stop() {
    cell.close();
  }

  private List<JsonNode> start() throws IOException {
    cell = new CellProcesses(folder);
    file = folder.resolve("tenants.json");
    cell.provision(TENANTS, file);
    var tenants = new ArrayList<JsonNode>();
    JsonMapper.shared().readTree(Files.readAllBytes(file)).forEach(tenants::add);
    return tenants;
  }

  @Test
  void theTotalsAreEqualThoughTheTenantStateIsKilledAndTheProxyRestarted() throws Exception {
    var tenants = start();
    var run = load("equal");
    flow();
    cell.state.kill9();
    flow();
    cell.startState();
    flow();
    cell.state.kill9();
    stopProxy();
    // The next one starts without a tenant state, with what its predecessor knew and counted.
    cell.startProxy();
    flow();
    cell.startState();
    var told = record(run, "equal");
    stopProxy();
    assertEquals(List.of(), cell.spooled());
    for (int t = 0; t < TENANTS; t++) {
      var counted = told.get(t);
      assertTrue(counted.get("accepted").longValue() > STEP_MESSAGES, counted::toString);
      assertEquals(Metered.told(counted), metered(tenants.get(t)), counted::toString);
    }
  }

  @Test
  void aKilledProxyLeavesOnlyItsUnansweredRequestsInDoubt() throws Exception {
    var tenants = start();
    var run = load("kills");
    flow();
    cell.proxy.kill9();
    cell.startProxy();
    flow();
    cell.state.kill9();
    flow();
    cell.proxy.kill9();
    cell.startState();
    cell.startProxy();
    flow();
    var told = record(run, "kills");
    stopProxy();
    assertEquals(List.of(), cell.spooled());
    for (int t = 0; t < TENANTS; t++) {
      compare(tenants.get(t), told.get(t));
    }
  }

  private void flow() {
    long wanted = cell.pushed() + STEP_MESSAGES;
    Await.until("messages flow", RUN_DEADLINE, () -> cell.pushed() >= wanted);
  }

  private void compare(JsonNode tenant, JsonNode counted) {
    var told = Metered.told(counted);
    var metered = metered(tenant);
    long stored = cell.stored(tenant.get("brokerTenantUuid").stringValue());
    assertTrue(
        told.pushed() <= metered.pushed() && metered.pushed() <= stored,
        () -> "%s for pushes of %s, of which %d are stored".formatted(metered, counted, stored));
    assertTrue(
        stored <= told.pushed() + counted.get("failed").longValue(),
        () -> "%d are stored of %s".formatted(stored, counted));
    long unanswered = counted.get("causes").get("popsLost").longValue() + CONSUMERS;
    assertTrue(
        told.delivered() <= metered.delivered()
            && metered.delivered() <= told.delivered() + unanswered * POP_BATCH,
        () -> "%s for deliveries of %s".formatted(metered, counted));
  }

  /** A stop hands over everything, or leaves it for the next one. */
  private void stopProxy() {
    cell.proxy.terminate();
    cell.proxy.exitCode(RUN_DEADLINE);
  }

  private Metered metered(JsonNode tenant) {
    return Metered.of(cell, tenant.get("clusterId").stringValue());
  }

  private JavaProcess load(String name) {
    return cell.loader(
        ("-mode cloud -target proxy -shared-queue -partitions 2 -rate 150 -consumers-per-tenant %d"
                + " -pop-batch %d -pop-wait -pop-timeout 1000 -lease-time 2 -duration %d -drain 20"
                + " -report 1 -url %s -tenants-file %s -out %s -run-id %s")
            .formatted(CONSUMERS, POP_BATCH, LOAD_SECONDS, cell.proxyUrl(), file, folder, name)
            .split(" "));
  }

  /** The accounts of a run that passed. */
  private JsonNode record(JavaProcess run, String name) throws IOException {
    assertEquals(0, run.exitCode(RUN_DEADLINE), () -> String.join("\n", run.output()));
    return JsonMapper.shared()
        .readTree(Files.readAllBytes(folder.resolve(name + ".json")))
        .get("tenants");
  }
}
