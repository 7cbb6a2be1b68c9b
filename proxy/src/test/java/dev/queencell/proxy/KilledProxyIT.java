package dev.queencell.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.github.benmanes.caffeine.cache.Ticker;
import dev.queencell.proxy.directory.Directory;
import dev.queencell.proxy.directory.Snapshot;
import dev.queencell.proxy.directory.StateClient;
import dev.queencell.proxy.directory.StateService;
import dev.queencell.testsupport.Await;
import dev.queencell.testsupport.JavaProcess;
import dev.queencell.testsupport.TestDatabase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A proxy that gets no chance to put anything in order, while nobody can tell the next one. */
class KilledProxyIT {
  private static final String FILE = "directory.snapshot";

  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();
  @TempDir private Path folder;

  private EdgeBench bench;

  @BeforeEach
  void start() {
    bench = new EdgeBench(DATABASE);
  }

  @AfterEach
  void stop() {
    bench.close();
  }

  @Test
  void whatItsFirstRequestsTaughtAProxyTheNextOneKnowsWithoutTheTenantState() throws Exception {
    var first = bench.state.tenant("bench");
    var second = bench.state.tenant("bench");
    try (var proxy = startProxy()) {
      assertEquals(200, status(proxy, first));
      Await.until("the first tenant is on disk", () -> isOnDisk(1));
      assertEquals(200, status(proxy, second));
      Await.until("the second one too", () -> isOnDisk(2));
      proxy.kill9();
    }
    bench.state.process().pause();
    try (var proxy = startProxy()) {
      assertEquals(200, status(proxy, first));
      assertEquals(200, status(proxy, second));
      var unknown = new TenantState.Tenant("unknown", "", "", "", first.key());
      assertEquals(502, status(proxy, unknown));
    } finally {
      bench.state.process().resume();
    }
  }

  /** True when so many tenants, with a key each, are in a copy of what is on disk. */
  private boolean isOnDisk(int tenants) {
    var times = new Directory.Times(0, TimeUnit.MINUTES.toMillis(10), 0);
    try (var client = new StateClient(bench.state.url(), TenantState.EDGE_TOKEN)) {
      var copy = Files.createTempDirectory(folder, "copy");
      Files.copy(folder.resolve("spool/" + FILE), copy.resolve(FILE));
      var known = new Directory(new StateService(client), times, Ticker.systemTicker());
      try (var _ = Snapshot.start(copy, TenantState.EDGE_TOKEN, known)) {
        return known.keys() == tenants && known.clusters() == 2L * tenants;
      }
    } catch (NoSuchFileException e) {
      return false;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private JavaProcess startProxy() {
    return JavaProcess.ofClass("dev.queencell.proxy.ProxyMain")
        .env(bench.environment(Map.of("QUEEN_PROXY_SPOOL_DIR", folder.resolve("spool").toString())))
        .start();
  }

  private static int status(JavaProcess proxy, TenantState.Tenant tenant) {
    return new EdgeClient(proxy.awaitReady().getPort())
        .get("/api/v1/resources/queues")
        .host(tenant.host())
        .key(tenant.key())
        .send()
        .status();
  }
}
