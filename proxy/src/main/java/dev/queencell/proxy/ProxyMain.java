package dev.queencell.proxy;

import com.github.benmanes.caffeine.cache.Ticker;
import dev.queencell.proxy.directory.ChangeFollower;
import dev.queencell.proxy.directory.Directory;
import dev.queencell.proxy.directory.StateAwayException;
import dev.queencell.proxy.directory.StateService;
import dev.queencell.proxy.directory.UsedKeys;
import dev.queencell.proxy.edge.EdgeApi;
import dev.queencell.proxy.limit.CellUse;
import dev.queencell.proxy.metrics.AdminApi;
import dev.queencell.proxy.metrics.EdgeMetrics;
import dev.queencell.proxy.upstream.Brokers;
import dev.queencell.service.BuildIdentity;
import dev.queencell.service.HttpServer;
import dev.queencell.service.Settings;
import io.github.bucket4j.TimeMeter;
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
    var state = opened(new StateService(config.state(), config.edgeToken()));
    var directory = new Directory(state, config.staleGraceMs(), Ticker.systemTicker());
    var cell = new CellUse(TimeMeter.SYSTEM_NANOTIME);
    var follower = opened(follow(state, directory, cell, config));
    var usedKeys = opened(new UsedKeys(state));
    var brokers = opened(new Brokers(config.upstreamTimeoutMs()));
    showGauges(metrics, directory, follower, cell, brokers);
    admin = opened(AdminApi.start(config.adminPort(), metrics, BuildIdentity.read()));
    tenants =
        opened(
            EdgeApi.start(
                config.host(),
                config.port(),
                config.policy(),
                directory,
                usedKeys,
                cell,
                brokers,
                metrics));
  }

  private static ChangeFollower follow(
      StateService state, Directory directory, CellUse cell, ProxyConfig config) {
    long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(STATE_START_MS);
    while (true) {
      try {
        return ChangeFollower.start(state, directory, cell::clusterChanged);
      } catch (StateAwayException e) {
        if (System.nanoTime() - deadlineNs >= 0) {
          throw new IllegalStateException(
              "no tenant state at %s: %s".formatted(config.state(), e.getMessage()), e);
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(STATE_RETRY_MS));
      }
    }
  }

  private static void showGauges(
      EdgeMetrics metrics,
      Directory directory,
      ChangeFollower follower,
      CellUse cell,
      Brokers brokers) {
    metrics.gauge("parked_pops", "Pops that wait at a broker", cell::parked);
    metrics.gauge("clusters_in_use", "Clusters with limits in memory", cell::clusters);
    metrics.gauge("clusters_known", "Clusters remembered", directory::clusters);
    metrics.gauge("keys_known", "Keys remembered", directory::keys);
    metrics.gauge(
        "change_feed_connected",
        "1 while the tenant state's changes are followed",
        () -> follower.isConnected() ? 1 : 0);
    metrics.gauge(
        "broker_connections_in_use", "Connections with a call", brokers::connectionsInUse);
    metrics.gauge("broker_connections_idle", "Connections kept", brokers::connectionsIdle);
  }

  private <T extends AutoCloseable> T opened(T part) {
    parts.push(part);
    return part;
  }
}
