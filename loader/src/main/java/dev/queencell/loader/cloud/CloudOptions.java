package dev.queencell.loader.cloud;

import dev.queencell.loader.fault.FaultPlan;
import dev.queencell.loader.options.CellHome;
import dev.queencell.loader.options.Option;
import dev.queencell.loader.options.OptionSet;
import java.util.List;

/** The options of {@code -mode cloud}, each declared once. */
final class CloudOptions {
  private static final int DAY_SECONDS = 86_400;
  private static final int YEAR_SECONDS = 365 * DAY_SECONDS;
  private static final int PAYLOAD_MAX_BYTES = 1 << 20;
  private static final String NAME = "[A-Za-z0-9._-]{1,200}";
  private static final String NAME_ACCEPTS = "letters, digits, '.', '_' and '-'";

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
          "tenants-file", "tenants.json", ".+", "a file", "tenants made by -mode provision");
  static final Option<Integer> TENANTS =
      Option.integer("tenants", 0, 0, 100_000, "", "how many of the file's tenants; 0 = all");
  static final Option<Boolean> BROKER_TENANT_HEADER =
      Option.flag("broker-tenant-header", true, "send x-queen-tenant when the target is a broker");
  static final Option<Boolean> SHARED_QUEUE =
      Option.flag(
          "shared-queue", true, "all tenants use the same queue name; else each adds its number");
  static final Option<String> QUEUE =
      Option.text("queue", "orders", NAME, NAME_ACCEPTS, "queue name");
  static final Option<String> GROUP =
      Option.text("group", "workers", NAME, NAME_ACCEPTS, "consumer group");
  static final Option<Integer> PARTITIONS =
      Option.integer("partitions", 1, 1, 1_000_000, "", "lanes per tenant");
  static final Option<Double> RATE =
      Option.decimal("rate", 100, 0.001, 1e7, "messages/s", "offered over all tenants together");
  static final Option<Double> PER_TENANT_RATE =
      Option.decimal(
          "per-tenant-rate", 0, 0, 1e7, "messages/s", "offered per active tenant; 0 = use -rate");
  static final Option<Integer> RAMP_SEC =
      Option.integer("ramp-sec", 0, 0, DAY_SECONDS, "s", "linear ramp at the start of -duration");
  static final Option<Integer> PUSH_BATCH =
      Option.integer("push-batch", 1, 1, 10_000, "messages", "messages per push, all to one lane");
  static final Option<Integer> PRODUCERS =
      Option.integer(
          "producers-per-tenant", 1, 1, 10_000, "", "producers that share a tenant's lanes");
  static final Option<Integer> MAX_INFLIGHT =
      Option.integer(
          "max-inflight", 4096, 1, 1_000_000, "requests", "pushes at once; one due above is shed");
  static final Option<Integer> CONSUMERS =
      Option.integer("consumers-per-tenant", 1, 0, 10_000, "", "consumers of each tenant");
  static final Option<Integer> POP_BATCH =
      Option.integer("pop-batch", 100, 1, 100_000, "messages", "most messages per pop");
  static final Option<Boolean> POP_WAIT = Option.flag("pop-wait", true, "long polls");
  static final Option<Integer> POP_TIMEOUT =
      Option.integer("pop-timeout", 5000, 1, 600_000, "ms", "longest long poll");
  static final Option<Integer> POP_PARTITIONS =
      Option.integer("pop-partitions", 1, 0, 100_000, "", "most lanes per pop; 0 = no cap");
  static final Option<Double> ACTIVE_FRACTION =
      Option.decimal("active-fraction", 1, 0.0001, 1, "", "share of the tenants that produce");
  static final Option<Boolean> AUTO_ACK =
      Option.flag(
          "auto-ack",
          false,
          "the broker acks inside the pop: at most once, so a lost answer is a loss");
  static final Option<Integer> EMPTY_SLEEP =
      Option.integer("empty-sleep", 5, 0, 60_000, "ms", "pause after an empty pop without wait");
  static final Option<Integer> PAYLOAD =
      Option.integer(
          "payload", 256, 1, PAYLOAD_MAX_BYTES, "bytes", "payload size; its stamp takes about 110");
  static final Option<String> PAYLOAD_FILL =
      Option.choice("payload-fill", "what payloads are filled with", "text", "constant");
  static final Option<Integer> DURATION =
      Option.integer("duration", 60, 1, YEAR_SECONDS, "s", "length of the load, the ramp included");
  static final Option<Integer> DRAIN =
      Option.integer(
          "drain", 15, 0, DAY_SECONDS, "s", "longest wait for what was accepted to be delivered");
  static final Option<Integer> REPORT =
      Option.integer("report", 5, 1, 3600, "s", "time between report lines");
  static final Option<Integer> TIMEOUT =
      Option.integer("timeout", 30_000, 1, 600_000, "ms", "longest wait for an answer");
  static final Option<Integer> IDLE_CONNS =
      Option.integer(
          "idle-conns", 0, 0, 1_000_000, "", "connections in the pool; 0 = as many as can be used");
  static final Option<Integer> RETRY429_ATTEMPTS =
      Option.integer(
          "retry429-attempts", 1, 1, 100, "", "attempts of a push that is refused with 429");
  static final Option<Integer> RETRIES =
      Option.integer("retries", 0, 0, 100, "", "further attempts of an ack that failed");
  static final Option<Integer> COMPLETED_RETENTION =
      Option.integer(
          "completed-retention", 300, 0, YEAR_SECONDS, "s", "queue option; 0 keeps for ever");
  static final Option<Integer> PENDING_RETENTION =
      Option.integer(
          "pending-retention", 3600, 0, YEAR_SECONDS, "s", "queue option; 0 keeps for ever");
  static final Option<Integer> LEASE_TIME =
      Option.integer("lease-time", 30, 1, DAY_SECONDS, "s", "queue option");
  static final Option<Integer> DEDUP_WINDOW =
      Option.integer(
          "dedup-window",
          0,
          0,
          YEAR_SECONDS,
          "s",
          "queue option; above 0 messages carry transaction ids");
  static final Option<Integer> MIN_POP_WAIT =
      Option.integer("min-pop-wait", 0, 0, 60_000, "ms", "queue option");
  static final Option<Boolean> SKIP_CONFIGURE =
      Option.flag("skip-configure", false, "leave the queues' options as they are");
  static final Option<Boolean> VERIFY =
      Option.flag("verify", true, "account for every message; else count only");
  static final Option<Boolean> FAIL_ON_VERIFY =
      Option.flag("fail-on-verify", true, "exit with 3 when the verdict is FAIL");
  static final Option<FaultPlan> FAULT =
      Option.parsed(
          "fault",
          FaultPlan.NONE,
          FaultPlan.ACCEPTS,
          "deliberate discrepancies, each to be found by the checker",
          FaultPlan::parse);
  static final Option<String> OUT =
      Option.text("out", ".", ".+", "a directory", "where the record goes");
  static final Option<String> RUN_ID =
      Option.text("run-id", null, NAME, NAME_ACCEPTS, "names the record (cloud-TARGET-UNIXTIME)");
  static final Option<String> NOTE =
      Option.text("note", "", "(?s).{0,1000}", "up to 1000 characters", "kept in the record");

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
              RAMP_SEC,
              PUSH_BATCH,
              PRODUCERS,
              MAX_INFLIGHT,
              CONSUMERS,
              POP_BATCH,
              POP_WAIT,
              POP_TIMEOUT,
              POP_PARTITIONS,
              ACTIVE_FRACTION,
              AUTO_ACK,
              EMPTY_SLEEP,
              PAYLOAD,
              PAYLOAD_FILL,
              DURATION,
              DRAIN,
              REPORT,
              TIMEOUT,
              IDLE_CONNS,
              RETRY429_ATTEMPTS,
              RETRIES,
              COMPLETED_RETENTION,
              PENDING_RETENTION,
              LEASE_TIME,
              DEDUP_WINDOW,
              MIN_POP_WAIT,
              SKIP_CONFIGURE,
              VERIFY,
              FAIL_ON_VERIFY,
              FAULT,
              OUT,
              RUN_ID,
              NOTE));

  private CloudOptions() {}
}
