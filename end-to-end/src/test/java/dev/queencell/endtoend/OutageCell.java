package dev.queencell.endtoend;

import dev.queencell.client.Caller;
import dev.queencell.client.PushBatch;
import dev.queencell.client.QueenStatusException;
import dev.queencell.client.QueenTransport;
import dev.queencell.client.QueenTransportException;
import dev.queencell.testsupport.Await;
import dev.queencell.testsupport.JavaProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A cell whose tenant state is about to go away, with tenants of every kind: some under the
 * loader's steady load, one that is known and pushes a message when it is asked to, and three that
 * are stopped: suspended, without pushes, and with its month used up.
 */
final class OutageCell implements AutoCloseable {
  /** Stands for no answer at all. */
  static final int NONE = 0;

  static final int TAKEN = 201;
  static final int REFUSED = 403;
  static final List<String> STOPPED = List.of("suspended", "blocked", "used-up");

  private static final byte[] PAYLOAD = "1".getBytes(StandardCharsets.US_ASCII);
  private static final Duration DEADLINE = Duration.ofSeconds(60);

  final CellProcesses cell;
  private final Path folder;
  private final Path file;
  private final List<JsonNode> loaded = new ArrayList<>();
  private final Map<String, JsonNode> made;
  private long known;

  OutageCell(Path folder, int loadedTenants, Map<String, String> proxySettings) {
    this.folder = folder;
    file = folder.resolve("tenants.json");
    cell = new CellProcesses(folder, proxySettings);
    cell.provision(loadedTenants, file);
    read(file).forEach(loaded::add);
    made =
        Map.of(
            "known", tenant("known"),
            "suspended", tenant("suspended"),
            "blocked", tenant("blocked"),
            "used-up", tenant("used-up"));
    STOPPED.forEach(slug -> await(slug, TAKEN));
    cell.control("PUT", "/api/cp/tenants/suspended/status", "{\"status\":\"suspended\"}");
    cell.control("PUT", path("blocked", "status"), "{\"status\":\"push_blocked\"}");
    cell.control("PUT", path("used-up", "overrides"), "{\"monthly_msgs_quota\":1}");
    STOPPED.forEach(slug -> await(slug, REFUSED));
  }

  private JsonNode tenant(String slug) {
    return cell.control(
        "POST", "/api/cp/bootstrap", "{\"tenant_slug\":\"%s\",\"plan\":\"bench\"}".formatted(slug));
  }

  private String path(String slug, String what) {
    return "/api/cp/clusters/" + clusterId(slug) + "/" + what;
  }

  private String clusterId(String slug) {
    return made.get(slug).get("cluster_id").stringValue();
  }

  /** Waits until a tenant's push has this status. */
  void await(String slug, int status) {
    Await.until(slug + " is answered " + status, DEADLINE, () -> push(slug) == status);
  }

  /** Pushes one message of a tenant; the status of the answer. */
  int push(String slug) {
    int status = push(slug, made.get(slug).get("api_key").stringValue());
    if (slug.equals("known") && status == TAKEN) {
      known++;
    }
    return status;
  }

  /** Pushes with a key that nobody has issued. */
  int pushUnknown(String slug) {
    return push(slug, "qk_live_" + "x".repeat(43));
  }

  private int push(String host, String key) {
    try (var transport = new QueenTransport(URI.create(cell.proxyUrl()))) {
      var caller = Caller.withApiKey(key).atHost(host);
      transport.client(caller).push(new PushBatch().add("probe", "p", PAYLOAD));
      return TAKEN;
    } catch (QueenStatusException e) {
      return e.status();
    } catch (QueenTransportException e) {
      return NONE;
    }
  }

  /** Starts the loader on its tenants. */
  JavaProcess load(int rate, int seconds) {
    return cell.loader(
        ("-mode cloud -target proxy -shared-queue -partitions 2 -consumers-per-tenant 1"
                + " -pop-batch 20 -pop-wait -pop-timeout 1000 -lease-time 10 -drain 30 -report 5"
                + " -run-id load -rate %d -duration %d -url %s -tenants-file %s -out %s")
            .formatted(rate, seconds, cell.proxyUrl(), file, folder)
            .split(" "));
  }

  /** What the loader was told and what was metered, a line for each tenant that differs. */
  List<String> differences() {
    var differing = new ArrayList<String>();
    var accounts = read(folder.resolve("load.json")).get("tenants");
    for (int t = 0; t < loaded.size(); t++) {
      var told = Metered.told(accounts.get(t));
      var metered = Metered.of(cell, loaded.get(t).get("clusterId").stringValue());
      if (!told.equals(metered)) {
        differing.add("%s by the meter: %s".formatted(metered, accounts.get(t)));
      }
    }
    var metered = Metered.of(cell, clusterId("known"));
    if (metered.pushed() != known) {
      differing.add("%s by the meter, %d were taken".formatted(metered, known));
    }
    return differing;
  }

  /** All that was metered of the tenants under load, and of the known one. */
  Metered total() {
    var sum = Metered.of(cell, clusterId("known"));
    for (var tenant : loaded) {
      var one = Metered.of(cell, tenant.get("clusterId").stringValue());
      sum = new Metered(sum.pushed() + one.pushed(), sum.delivered() + one.delivered());
    }
    return sum;
  }

  private static JsonNode read(Path json) {
    try {
      return JsonMapper.shared().readTree(Files.readAllBytes(json));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    cell.close();
  }
}
