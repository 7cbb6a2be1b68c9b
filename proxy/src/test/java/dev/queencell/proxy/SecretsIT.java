package dev.queencell.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.queencell.state.control.Keys;
import dev.queencell.testsupport.Await;
import dev.queencell.testsupport.TestDatabase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/**
 * Sends keys through the edge, the right way and every wrong one, and looks for them afterwards.
 */
class SecretsIT {
  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();

  @TempDir Path folder;

  private final Logger root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
  private final Logger own = (Logger) LoggerFactory.getLogger("dev.queencell");
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private final List<String> refusals = new ArrayList<>();
  private EdgeBench bench;
  private ProxyMain proxy;

  @BeforeEach
  void start() {
    log.start();
    root.addAppender(log);
    own.setLevel(Level.TRACE);
    bench = new EdgeBench(DATABASE);
    proxy = bench.proxy(Map.of("QUEEN_PROXY_SPOOL_DIR", folder.toString()));
  }

  @AfterEach
  void stop() {
    bench.close();
    own.setLevel(null);
    root.detachAppender(log);
  }

  @Test
  void noKeyIsInTheSnapshotTheSpoolALogOrAnErrorBody() throws Exception {
    var tenant = bench.state.tenant("bench");
    var other = bench.state.tenant("bench");
    var unknown = tenant.key().substring(0, tenant.key().length() - 1) + "~";
    assertEquals(200, call("GET", "/api/v1/resources/queues", tenant).send().status());
    assertEquals(201, call("POST", "/api/v1/push", tenant).body("{}").send().status());
    for (var key : List.of(tenant.key(), unknown)) {
      refuse(client().get("/api/v1/resources/queues").host(other.host()).key(key));
      refuse(client().get("/api/v1/" + key).host(tenant.host()).key(key));
      refuse(client().get("/api/console/" + key).host(tenant.host()).key(key));
      refuse(client().get("/api/v1/resources/queues?key=" + key).host(tenant.host()));
      refuse(client().get("/health").host(key));
      refuse(client().get("/health").host(tenant.host()).header("Cookie", "queen_session=" + key));
      refuse(client().get("/health").host(tenant.host()).header("Authorization", key));
      refuse(
          client()
              .get("/health")
              .host(tenant.host())
              .key(tenant.key())
              .header("x-queen-act-cluster", key));
      refuse(client().post("/auth/login").host(tenant.host()).body(key));
    }
    bench.state.process().pause();
    assertEquals(201, call("POST", "/api/v1/push", tenant).body("{}").send().status());
    Await.until("there is a snapshot", () -> Files.exists(folder.resolve("directory.snapshot")));
    Await.until("usage waits", () -> names().stream().anyMatch(name -> name.startsWith("meter-")));
    bench.closeProxies();
    bench.state.process().resume();

    var hidden = new LinkedHashMap<String, String>();
    hidden.put("key", tenant.key());
    hidden.put("hash of a key", Keys.hash(tenant.key()));
    hidden.put("unknown key", unknown);
    hidden.put("edge token", TenantState.EDGE_TOKEN);
    hidden.put("cell secret", TenantState.CELL_SECRET);
    var logged = new ArrayList<>(log.list).toString();
    assertFalse(logged.isEmpty());
    for (var secret : hidden.entrySet()) {
      for (var name : names()) {
        assertFalse(
            text(folder.resolve(name)).contains(secret.getValue()),
            secret.getKey() + " in " + name);
      }
      assertFalse(logged.contains(secret.getValue()), secret.getKey() + " in the log");
      assertFalse(
          refusals.toString().contains(secret.getValue()), () -> secret.getKey() + refusals);
    }
    assertTrue(text(folder.resolve("directory.snapshot")).length() > 100);
  }

  private EdgeClient client() {
    return new EdgeClient(proxy.port());
  }

  private EdgeClient.Call call(String method, String path, TenantState.Tenant tenant) {
    return client().call(method, path).host(tenant.host()).key(tenant.key());
  }

  private void refuse(EdgeClient.Call call) {
    var answer = call.send();
    assertTrue(answer.status() >= 400, answer::text);
    refusals.add(answer.headers() + answer.text());
  }

  private List<String> names() {
    try (var files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String text(Path file) throws IOException {
    return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
  }
}
