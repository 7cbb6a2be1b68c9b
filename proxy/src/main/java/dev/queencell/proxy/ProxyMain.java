package dev.queencell.proxy;

import com.github.benmanes.caffeine.cache.Ticker;
import dev.queencell.proxy.directory.ChangeFollower;
import dev.queencell.proxy.directory.Directory;
import dev.queencell.proxy.directory.Snapshot;
import dev.queencell.proxy.directory.StateAwayException;
import dev.queencell.proxy.directory.StateClient;
import dev.queencell.proxy.directory.StateService;
import dev.queencell.proxy.directory.UsedKeys;
import dev.queencell.proxy.edge.EdgeApi;
import dev.queencell.proxy.edge.Enforcement;
import dev.queencell.proxy.inventory.BrokerInventory;
import dev.queencell.proxy.inventory.Reconciler;
import dev.queencell.proxy.limit.CellUse;
import dev.queencell.proxy.limit.SharedLimits;
import dev.queencell.proxy.meter.Meter;
import dev.queencell.proxy.meter.StateUsageSink;
import dev.queencell.proxy.metrics.AdminApi;
import dev.queencell.proxy.metrics.EdgeMetrics;
import dev.queencell.proxy.upstream.Brokers;
import dev.queencell.service.BuildIdentity;
import dev.queencell.service.HttpServer;
import dev.queencell.service.Settings;
import io.github.bucket4j.TimeMeter;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts the edge of a cell, or says in one line why it can't. */
public final class ProxyMain implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ProxyMain.class);

  /** The two services start side by side. */
  private static final long STATE_START_MS = 10_000;

  private static final long STATE_RETRY_MS = 200;

  /** What {@link #close()} closes, last started first. */
  private final Deque<AutoCloseable> parts = new ArrayDeque<>();

  private EdgeApi tenants;
  private HttpServer admin;

  private ProxyMain() {}

  /** Runs until the process is told to stop. */
  @SuppressWarnings("SystemOut")
  public static void main(String[] arguments) {
    try {
      var settings = new Settings(System.getenv());
      var config = ProxyConfig.read(settings);
      System.out.println(settings.describe());
      var proxy = start(config);
      Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(proxy::close));
      System.out.printf("metrics on http://127.0.0.1:%d/metrics/prometheus%n", proxy.adminPort());
      System.out.printf("ready on http://%s:%d%n", config.host(), proxy.port());
    } catch (IllegalStateException e) {
      System.err.println("queencell-proxy: " + e.getMessage());
      System.exit(1);
    }
  }

  static ProxyMain start(ProxyConfig config) {
    var proxy = new ProxyMain();
    try {
      proxy.assemble(config);
      return proxy;
    } catch (RuntimeException e) {
      proxy.close();
      throw e;
    }
  }

  int port() {
    return tenants.port();
  }

  int adminPort() {
    return admin.port();
  }

  @Override
  public void close() {
    while (!parts.isEmpty()) {
      try {
        parts.pop().close();
      } catch (Exception e) {
        LOG.warn("while stopping: {}", e.toString());
      }
    }
  }

  private void assemble(ProxyConfig config) {
    var metrics = opened(new EdgeMetrics());
    var client = opened(new StateClient(config.state(), config.edgeToken()));
    var state = new StateService(client);
    var directory = new Directory(state, config.known(), Ticker.systemTicker());
    var folder = opened(SpoolFolder.take(config.spoolFolder())).path();
    var snapshot = opened(Snapshot.start(folder, config.edgeToken(), directory));
    var shared =
        config.replicas() == 1
            ? null
            : opened(new SharedLimits(client, TimeMeter.SYSTEM_NANOTIME, config.replicas()));
    var cell = new CellUse(TimeMeter.SYSTEM_NANOTIME, shared);
    var enforcement = new Enforcement(config.policy().enforce());
    var changes = new Changes(state, cell, snapshot, enforcement);
    var follower = opened(follow(state, directory, changes, snapshot, config));
    var usedKeys = opened(new UsedKeys(state));
    var brokers = opened(new Brokers(config.upstreamTimeoutMs(), config.links()));
    var inventory = new BrokerInventory(brokers, config.policy().tenantHeader());
    var meter =
        opened(
            Meter.start(
                folder,
                new StateUsageSink(client),
                InstantSource.system(),
                config.meterFlushMs(),
                config.batchRows(),
                config.drainMs()));
    var reconciler = opened(new Reconciler(state, client, inventory, cell, config.reconcileMs()));
    metrics.gauge("reconcile_rounds", "Looks at all clusters' brokers", reconciler::rounds);
    var gauges = new Gauges(metrics);
    gauges.show(directory, follower, cell, brokers);
    gauges.show(client);
    gauges.show(meter, enforcement, shared);
    admin = opened(AdminApi.start(config.adminPort(), metrics, BuildIdentity.read()));
    tenants =
        opened(
            EdgeApi.start(
                config.host(),
                config.port(),
                config.policy(),
                new EdgeApi.Parts(
                    directory,
                    usedKeys,
                    cell,
                    brokers,
                    inventory,
                    meter,
                    client,
                    enforcement,
                    metrics)));
    changes.tell(tenants);
  }

  private static ChangeFollower follow(
      StateService state,
      Directory directory,
      Changes changes,
      Snapshot snapshot,
      ProxyConfig config) {
    long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(STATE_START_MS);
    while (true) {
      try {
        return ChangeFollower.start(state, directory, changes);
      } catch (StateAwayException e) {
        if (snapshot.isUsable()) {
          LOG.warn("{}; starting with what was known before", e.getMessage());
          return ChangeFollower.startAway(state, directory, changes);
        }
        if (System.nanoTime() - deadlineNs >= 0) {
          throw new IllegalStateException(
              "no tenant state at %s: %s".formatted(config.state(), e.getMessage()), e);
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(STATE_RETRY_MS));
      }
    }
  }

  private <T extends AutoCloseable> T opened(T part) {
    parts.push(part);
    return part;
  }
}
