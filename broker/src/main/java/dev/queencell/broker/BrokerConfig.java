package dev.queencell.broker;

import dev.queencell.broker.auth.AuthConfig;
import dev.queencell.broker.crypto.PayloadCipher;
import dev.queencell.broker.engine.EngineConfig;
import dev.queencell.broker.engine.Limits;
import dev.queencell.broker.engine.RetentionConfig;
import dev.queencell.broker.http.ApiConfig;
import dev.queencell.broker.http.ApiConfig.Autopilot.Mode;
import dev.queencell.broker.journal.CommitWatch;
import dev.queencell.broker.spool.SpoolConfig;
import dev.queencell.service.ClientProbes;
import dev.queencell.service.Settings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** All settings of a broker, read from its environment and checked before the first socket. */
record BrokerConfig(
    ApiConfig api, EngineConfig engine, AuthConfig auth, SpoolConfig spool, String spoolToken) {
  private static final int PORT = 6632;
  private static final int PG_PORT = 5466;
  private static final int PORT_MAX = 65_535;
  private static final int LANES_MAX = 64;
  private static final long MIB = 1024 * 1024;
  private static final long BYTES_MAX = 1L << 40;
  private static final int CPUS_PER_LANE = 2;
  private static final int BODY_BYTES_MIN = 1024;
  private static final int POP_TIMEOUT_MS = 30_000;
  private static final int SPOOL_RECORDS_PER_FILE_MAX = 10_000_000;
  private static final int SPOOL_RETRY_MS_MAX = 60_000;
  private static final Path SPOOL_HOME = Path.of("/var/lib/queen/buffers");
  private static final int INTERVAL_MS_MIN = 100;
  private static final int INTERVAL_MS_MAX = 3_600_000;
  private static final int RETENTION_BATCH_MAX = 100_000;
  private static final int CLEANUP_DAYS_MAX = 36_500;

  /** Running requests get this long when the broker stops; the engine has settled them before. */
  private static final long STOP_TIMEOUT_MS = 2_000;

  /**
   * Reads and checks everything.
   *
   * @throws IllegalStateException naming every setting that can't be used
   */
  static BrokerConfig read(Settings settings) {
    int port = settings.integer("PORT", PORT, 0, PORT_MAX);
    var bindAddr = settings.text("QUEEN_BIND_ADDR", "127.0.0.1");
    if (carriesPort(bindAddr)) {
      settings.problem(
          "QUEEN_BIND_ADDR is '%s'; it takes a host or an address, the port belongs into PORT"
              .formatted(bindAddr));
    }
    var ownUrl =
        settings.text("QUEENCELL_BROKER_URL", "http://%s:%d".formatted(inUrl(bindAddr), port));
    var config =
        new BrokerConfig(
            api(settings, bindAddr, port, ownUrl),
            engine(settings, ownUrl),
            AuthSettings.read(settings),
            spool(settings, ownUrl),
            settings.secret("QUEENCELL_SPOOL_TOKEN"));
    settings.conclude();
    return config;
  }

  /** The same, with its commits watched. */
  BrokerConfig with(CommitWatch watch) {
    return new BrokerConfig(api, engine.with(watch), auth, spool, spoolToken);
  }

  private static ApiConfig api(Settings settings, String bindAddr, int port, String ownUrl) {
    boolean tenancy = settings.flag("QUEEN_TENANCY_HEADER", false);
    boolean trustedProxy = settings.flag("QUEEN_KV_TRUSTED_PROXY", false);
    if (tenancy && !trustedProxy) {
      settings.problem(
          "QUEEN_TENANCY_HEADER is true, which believes every client's x-queen-tenant; it needs"
              + " QUEEN_KV_TRUSTED_PROXY=true, set where only a trusted proxy reaches this broker");
    }
    int bodyBytesMax =
        settings.integer(
            "QUEEN_MAX_BODY_BYTES", Limits.BODY_BYTES_MAX, BODY_BYTES_MIN, Limits.BODY_BYTES_MAX);
    long heap = Runtime.getRuntime().maxMemory();
    long budget =
        settings.number(
            "QUEENCELL_BODY_BUDGET_BYTES",
            Math.clamp(heap / 8 / MIB * MIB, 16 * MIB, 1024 * MIB),
            MIB,
            BYTES_MAX);
    int popTimeoutMs =
        settings.integer("POP_DEFAULT_TIMEOUT_MS", POP_TIMEOUT_MS, 0, (int) Limits.WAIT_MS_MAX);
    popTimeoutMs = settings.integer("DEFAULT_TIMEOUT", popTimeoutMs, 0, (int) Limits.WAIT_MS_MAX);
    var mode = settings.choice("DEFAULT_SUBSCRIPTION_MODE", "new", "new", "all");
    var corsOrigin = settings.text("QUEENCELL_CORS_ORIGIN", null);
    return new ApiConfig(
        bindAddr,
        port,
        tenancy,
        bodyBytesMax,
        budget,
        popTimeoutMs,
        mode.equals("new"),
        corsOrigin,
        ownUrl,
        autopilot(settings),
        ClientProbes.read(settings),
        STOP_TIMEOUT_MS);
  }

  private static ApiConfig.Autopilot autopilot(Settings settings) {
    var mode = settings.choice("QUEEN_POP_AUTOPILOT", "on", "on", "shadow", "off");
    int batch =
        settings.integer(
            "QUEEN_POP_AUTOPILOT_BATCH", ApiConfig.Autopilot.DEFAULT.batch(), 1, Limits.BATCH_MAX);
    return new ApiConfig.Autopilot(Mode.valueOf(mode.toUpperCase(Locale.ROOT)), batch);
  }

  private static EngineConfig engine(Settings settings, String ownUrl) {
    var host = settings.text("PG_HOST", "127.0.0.1");
    int port = settings.integer("PG_PORT", PG_PORT, 1, PORT_MAX);
    var user = settings.text("PG_USER", "queencell");
    var password = settings.secret("PG_PASSWORD");
    var database = settings.text("PG_DB", "queencell");
    int cpus = Runtime.getRuntime().availableProcessors();
    int lanes =
        settings.integer("QUEENCELL_LANES", Math.max(1, cpus / CPUS_PER_LANE), 1, LANES_MAX);
    long heap = Runtime.getRuntime().maxMemory();
    return new EngineConfig(
            "jdbc:postgresql://%s:%d/%s".formatted(inUrl(host), port, database),
            user,
            password,
            ownUrl,
            lanes,
            settings.number("QUEENCELL_TAIL_CACHE_BYTES", heap / 4 / MIB * MIB, 0, BYTES_MAX),
            settings.number("QUEENCELL_DEDUP_BYTES", heap / 8 / MIB * MIB, 0, BYTES_MAX))
        .with(cipher(settings))
        .with(retention(settings));
  }

  /** A key that can't be used ends the start: storing plain text instead would go unnoticed. */
  private static PayloadCipher cipher(Settings settings) {
    var keys = new ArrayList<String>();
    var key = settings.secret("QUEEN_ENCRYPTION_KEY");
    var former = settings.secret("QUEENCELL_ENCRYPTION_KEYS_FORMER");
    if (key != null) {
      keys.add(key);
    }
    if (former != null) {
      if (key == null) {
        settings.problem("QUEENCELL_ENCRYPTION_KEYS_FORMER is set without QUEEN_ENCRYPTION_KEY");
      }
      keys.addAll(List.of(former.split("[,\\s]+")));
    }
    try {
      return PayloadCipher.of(keys);
    } catch (IllegalArgumentException e) {
      settings.problem(
          "QUEEN_ENCRYPTION_KEY or QUEENCELL_ENCRYPTION_KEYS_FORMER can't be used: "
              + e.getMessage());
      return PayloadCipher.NONE;
    }
  }

  private static SpoolConfig spool(Settings settings, String ownUrl) {
    var directory = settings.text("FILE_BUFFER_DIR", defaultSpool(ownUrl).toString());
    return new SpoolConfig(
        Path.of(directory),
        settings.number("FILE_BUFFER_MAX_BYTES", SpoolConfig.BYTES_MAX_DEFAULT, 0, BYTES_MAX),
        settings.integer(
            "FILE_BUFFER_EVENTS_PER_FILE",
            SpoolConfig.RECORDS_PER_FILE_DEFAULT,
            1,
            SPOOL_RECORDS_PER_FILE_MAX),
        settings.integer(
            "FILE_BUFFER_MAX_BATCH", SpoolConfig.BATCH_MAX_DEFAULT, 1, Limits.BATCH_MAX),
        settings.integer(
            "FILE_BUFFER_FLUSH_MS", (int) SpoolConfig.RETRY_MS_DEFAULT, 1, SPOOL_RETRY_MS_MAX));
  }

  /**
   * The usual place where it is there for us, else a temporary one. Each broker has its own below
   * it, told by its URL, so that brokers on one machine do not meet.
   */
  private static Path defaultSpool(String ownUrl) {
    boolean usable = Files.isDirectory(SPOOL_HOME) && Files.isWritable(SPOOL_HOME);
    var home =
        usable
            ? SPOOL_HOME
            : Path.of(
                System.getProperty("java.io.tmpdir"),
                "queencell-buffers-" + System.getProperty("user.name"));
    return home.resolve(ownUrl.replaceAll("[^A-Za-z0-9.-]+", "_"));
  }

  private static RetentionConfig retention(Settings settings) {
    var usual = RetentionConfig.DEFAULTS;
    return new RetentionConfig(
        settings.integer(
            "RETENTION_INTERVAL", (int) usual.intervalMs(), INTERVAL_MS_MIN, INTERVAL_MS_MAX),
        settings.integer("RETENTION_BATCH_SIZE", usual.batchSize(), 1, RETENTION_BATCH_MAX),
        settings.integer(
            "PARTITION_CLEANUP_DAYS", usual.partitionCleanupDays(), 1, CLEANUP_DAYS_MAX));
  }

  /** Whether an address is {@code host:port}; an IPv6 address has more colons, or brackets. */
  private static boolean carriesPort(String address) {
    boolean ipv6 = address.startsWith("[") || address.indexOf(':') != address.lastIndexOf(':');
    return address.contains(ipv6 ? "]:" : ":");
  }

  private static String inUrl(String host) {
    return host.contains(":") && !host.startsWith("[") ? "[" + host + "]" : host;
  }
}
