package dev.queencell.loader.cloud;

import dev.queencell.loader.fault.FaultPlan;
import dev.queencell.loader.options.CellHome;
import dev.queencell.loader.options.Option;
import dev.queencell.loader.options.OptionSet;
import dev.queencell.loader.run.RunOptions;
import java.util.List;

/** The options of {@code -mode cloud}, each declared once. */
final class CloudOptions {
  static final Option<String> TARGET =
      Option.choice("target", "where the load goes", "proxy", "broker");
  static final Option<String> URL =
      Option.text(
          "url",
          null,
          "https?://.+",
          "http://HOST:PORT",
          "its address (the home's, else http://127.0.0.1:6711 for proxy, :6632 for broker)");
  static final Option<String> TENANTS_FILE =
      Option.text(
          "tenants-file",
          null,
          ".+",
          "a file",
          "tenants made by -mode provision (tenants.json in the home, else here)");
  static final Option<Integer> TENANTS =
      Option.integer("tenants", 0, 0, 100_000, "", "how many of the file's tenants; 0 = all");
  static final Option<Boolean> BROKER_TENANT_HEADER =
      Option.flag("broker-tenant-header", true, "send x-queen-tenant when the target is a broker");
  static final Option<Boolean> SHARED_QUEUE =
      Option.flag(
          "shared-queue", true, "all tenants use the same queue name; else each adds its number");
  static final Option<String> QUEUE =
      Option.text("queue", "orders", RunOptions.NAME, RunOptions.NAME_ACCEPTS, "queue name");
  static final Option<String> GROUP =
      Option.text("group", "workers", RunOptions.NAME, RunOptions.NAME_ACCEPTS, "consumer group");
  static final Option<Integer> PARTITIONS =
      Option.integer("partitions", 1, 1, 1_000_000, "", "lanes per tenant");
  static final Option<Double> RATE =
      Option.decimal("rate", 100, 0.001, 1e7, "messages/s", "offered over all tenants together");
  static final Option<Double> PER_TENANT_RATE =
      Option.decimal(
          "per-tenant-rate", 0, 0, 1e7, "messages/s", "offered per active tenant; 0 = use -rate");
  static final Option<Integer> PRODUCERS =
      Option.integer(
          "producers-per-tenant", 1, 1, 10_000, "", "producers that share a tenant's lanes");
  static final Option<Integer> CONSUMERS =
      Option.integer("consumers-per-tenant", 1, 0, 10_000, "", "consumers of each tenant");
  static final Option<Double> ACTIVE_FRACTION =
      Option.decimal("active-fraction", 1, 0.0001, 1, "", "share of the tenants that produce");
  static final Option<Boolean> AUTO_ACK =
      Option.flag(
          "auto-ack",
          false,
          "the broker acks inside the pop: at most once, so a lost answer is a loss");
  static final Option<Integer> IDLE_CONNS =
      Option.integer(
          "idle-conns", 0, 0, 1_000_000, "", "connections in the pool; 0 = as many as can be used");
  static final Option<Integer> RETRY429_ATTEMPTS =
      Option.integer(
          "retry429-attempts", 1, 1, 100, "", "attempts of a push that is refused with 429");
  static final Option<Integer> MIN_POP_WAIT =
      Option.integer("min-pop-wait", 0, 0, 60_000, "ms", "queue option");
  static final Option<Boolean> SKIP_CONFIGURE =
      Option.flag("skip-configure", false, "leave the queues' options as they are");

  static final Option<Integer> FAULT_TENANT =
      Option.integer(
          "fault-tenant",
          FaultPlan.ANY_TENANT,
          FaultPlan.ANY_TENANT,
          100_000,
          "",
          "number of the tenant whose messages -fault hits; -1 = any");

  static final OptionSet SET =
      new OptionSet(
          "cloud",
          "Loads a proxy or a broker with many tenants' messages at a fixed rate, consumes them and"
              + " accounts for every one.",
          List.of(
              CellHome.HOME,
              TARGET,
              URL,
              TENANTS_FILE,
              TENANTS,
              BROKER_TENANT_HEADER,
              SHARED_QUEUE,
              QUEUE,
              GROUP,
              PARTITIONS,
              RATE,
              PER_TENANT_RATE,
              RunOptions.RAMP_SEC,
              RunOptions.PUSH_BATCH,
              PRODUCERS,
              RunOptions.MAX_INFLIGHT,
              RunOptions.PACERS,
              CONSUMERS,
              RunOptions.POP_BATCH,
              RunOptions.POP_WAIT,
              RunOptions.POP_TIMEOUT,
              RunOptions.POP_PARTITIONS,
              ACTIVE_FRACTION,
              AUTO_ACK,
              RunOptions.EMPTY_SLEEP,
              RunOptions.PAYLOAD,
              RunOptions.PAYLOAD_FILL,
              RunOptions.DURATION,
              RunOptions.DRAIN,
              RunOptions.REPORT,
              RunOptions.TIMEOUT,
              IDLE_CONNS,
              RETRY429_ATTEMPTS,
              RunOptions.RETRIES,
              RunOptions.COMPLETED_RETENTION,
              RunOptions.PENDING_RETENTION,
              RunOptions.LEASE_TIME,
              RunOptions.DEDUP_WINDOW,
              MIN_POP_WAIT,
              SKIP_CONFIGURE,
              RunOptions.VERIFY,
              RunOptions.FAIL_ON_VERIFY,
              RunOptions.FAULT,
              FAULT_TENANT,
              RunOptions.OUT,
              RunOptions.RUN_ID,
              RunOptions.NOTE));

  private CloudOptions() {}
}
