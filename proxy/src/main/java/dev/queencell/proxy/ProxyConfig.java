package dev.queencell.proxy;

import dev.queencell.proxy.directory.Directory;
import dev.queencell.proxy.edge.EdgePolicy;
import dev.queencell.proxy.meter.Meter;
import dev.queencell.service.Settings;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Everything that can be set, checked before the first socket opens.
 *
 * @param adminPort of metrics, on loopback only
 * @param state address of the tenant-state service
 * @param edgeToken opens it; has no default
 * @param known how long clusters and keys are known
 * @param spoolFolder of usage that is not told yet and of what is known of the tenants; null for a
 *     temporary one
 * @param meterFlushMs between two batches of usage
 * @param batchRows of usage at most
 * @param drainMs how long a stop tries to tell all usage
 * @param reconcileMs between two looks at what brokers have
 * @param replicas proxies that share their limits; 1 for none but this
 * @param upstreamTimeoutMs how long a broker may take for a call that does not wait
 * @param links whether pushes, pops and acknowledgements go to brokers over links
 */
record ProxyConfig(
    String host,
    int port,
    int adminPort,
    URI state,
    String edgeToken,
    Directory.Times known,
    long upstreamTimeoutMs,
    Path spoolFolder,
    long meterFlushMs,
    int batchRows,
    long drainMs,
    long reconcileMs,
    int replicas,
    boolean links,
    EdgePolicy policy) {

  private static final int PORT_MAX = 65_535;
  private static final int REPLICAS_MAX = 64;
  private static final long HOUR_MS = 3_600_000;
  private static final long DAY_MS = 24 * HOUR_MS;
  private static final long GIBIBYTE = 1L << 30;
  private static final long MEBIBYTE = 1L << 20;

  /**
   * Reads the environment.
   *
   * @throws IllegalStateException naming every problem
   */
  static ProxyConfig read(Settings settings) {
    var host = settings.text("QUEEN_PROXY_BIND_ADDR", "127.0.0.1");
    int port = settings.integer("QUEEN_PROXY_PORT", 6711, 0, PORT_MAX);
    // A port that the system chooses has no neighbour to count on.
    int adminPort =
        settings.integer("QUEENCELL_PROXY_ADMIN_PORT", port == 0 ? 0 : port + 1, 0, PORT_MAX);
    var state = state(settings);
    var edgeToken = settings.secret("QUEENCELL_EDGE_TOKEN");
    if (edgeToken == null) {
      settings.problem(
          "QUEENCELL_EDGE_TOKEN is not set; it takes the edge token of the tenant-state service");
    }
    refuseUnsupported(settings);
    long timeoutMs = settings.number("QUEEN_PROXY_UPSTREAM_TIMEOUT_MS", 35_000, 100, HOUR_MS);
    var folder = settings.text("QUEEN_PROXY_SPOOL_DIR", null);
    long flushMs = settings.number("QUEEN_PROXY_METER_FLUSH_MS", 15_000, 10, HOUR_MS);
    long drainMs = settings.number("QUEEN_PROXY_SHUTDOWN_DRAIN_MS", 5_000, 0, HOUR_MS);
    long reconcileMs = settings.number("QUEEN_PROXY_RECONCILE_MS", 60_000, 10, HOUR_MS);
    int batchRows =
        settings.integer(
            "QUEENCELL_PROXY_BATCH_ROWS", Meter.BATCH_ROWS_MAX, 1, Meter.BATCH_ROWS_MAX);
    int replicas = settings.integer("QUEENCELL_PROXY_REPLICAS", 1, 1, REPLICAS_MAX);
    boolean links = settings.flag("QUEENCELL_PROXY_LINK", true);
    var known = known(settings);
    var policy = policy(settings);
    settings.conclude();
    return new ProxyConfig(
        host,
        port,
        adminPort,
        state,
        edgeToken,
        known,
        timeoutMs,
        folder == null ? null : Path.of(folder),
        flushMs,
        batchRows,
        drainMs,
        reconcileMs,
        replicas,
        links,
        policy);
  }

  @Override
  public String toString() {
    return "ProxyConfig[" + host + ":" + port + "]";
  }

  private static Directory.Times known(Settings settings) {
    return new Directory.Times(
        settings.number("QUEENCELL_PROXY_KNOWN_TTL_MS", 30_000, 10, HOUR_MS),
        settings.number("QUEEN_PROXY_STALE_GRACE_MS", 600_000, 0, DAY_MS),
        settings.number("QUEENCELL_PROXY_STATE_RETRY_MS", 2_000, 10, HOUR_MS));
  }

  private static EdgePolicy policy(Settings settings) {
    return new EdgePolicy(
        settings.flag("QUEEN_PROXY_ENFORCE", false),
        settings.flag("QUEEN_PROXY_TENANT_HEADER", true),
        settings.flag("QUEEN_PROXY_OPERATOR_ENABLED", false),
        sharedHosts(settings.text("QUEEN_PROXY_SHARED_HOSTS", null)),
        settings.text("QUEEN_PROXY_DEFAULT_CLUSTER", null),
        settings.number("QUEEN_PROXY_MAX_BODY_BYTES", 16 * MEBIBYTE, 1, GIBIBYTE),
        settings.number("QUEEN_PROXY_MAX_BATCH_ITEMS", 10_000, 1, Integer.MAX_VALUE),
        settings.number("QUEEN_PROXY_CELL_MAX_PARKED", 5_000, 0, Integer.MAX_VALUE),
        settings.number("QUEEN_PROXY_LONGPOLL_MAX_MS", 90_000, 0, HOUR_MS),
        settings.number("QUEEN_PROXY_LONGPOLL_MARGIN_MS", 10_000, 0, HOUR_MS));
  }

  private static Set<String> sharedHosts(String list) {
    if (list == null) {
      return Set.of();
    }
    return Arrays.stream(list.split(",", -1))
        .map(name -> name.strip().toLowerCase(Locale.ROOT))
        .filter(name -> !name.isEmpty())
        .collect(Collectors.toUnmodifiableSet());
  }

  private static URI state(Settings settings) {
    var text = settings.text("QUEENCELL_STATE_URL", "http://127.0.0.1:6720");
    try {
      var url = new URI(text);
      if ("http".equals(url.getScheme()) && url.getHost() != null) {
        return url;
      }
    } catch (URISyntaxException e) {
      // Falls through to the one message for every unusable address.
    }
    settings.problem(
        "QUEENCELL_STATE_URL is '%s'; it takes an address like http://127.0.0.1:6720"
            .formatted(text));
    return null;
  }

  /** Starting without what was asked for would be worse than not starting. */
  private static void refuseUnsupported(Settings settings) {
    for (var name : new String[] {"QUEEN_PROXY_TLS_CERT", "QUEEN_PROXY_TLS_KEY"}) {
      if (settings.text(name, null) != null) {
        settings.problem(name + " is set, but this proxy has no TLS");
      }
    }
    for (var name :
        new String[] {
          "QUEEN_PROXY_JWT_SECRET", "QUEEN_PROXY_JWT_ED25519_PEM", "QUEEN_PROXY_JWT_ED25519_PUB_PEM"
        }) {
      if (settings.text(name, null) != null) {
        settings.problem(
            name + " is set, but sessions are the tenant-state service's; set it there");
      }
    }
    if (settings.flag("QUEEN_PROXY_DEV_INSECURE", false)) {
      settings.problem(
          "QUEEN_PROXY_DEV_INSECURE is on, but this proxy lets nobody in without a key");
    }
  }
}
