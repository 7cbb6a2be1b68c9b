package dev.queencell.loader.run;

import dev.queencell.loader.fault.FaultPlan;
import dev.queencell.loader.options.Option;
import dev.queencell.loader.payload.Filler;

/** Options that mean the same in every mode that has them. */
public final class RunOptions {
  public static final int DAY_SECONDS = 86_400;
  public static final int YEAR_SECONDS = 365 * DAY_SECONDS;

  /** What names of queues, groups and runs look like. */
  public static final String NAME = "[A-Za-z0-9._-]{1,200}";

  public static final String NAME_ACCEPTS = "letters, digits, '.', '_' and '-'";

  private static final int PAYLOAD_MAX_BYTES = 1 << 20;

  public static final Option<String> BROKER_URL =
      Option.text(
          "url",
          null,
          "https?://.+",
          "http://HOST:PORT",
          "the broker's address (the home's, else http://127.0.0.1:6632)");
  public static final Option<Integer> PARTITIONS =
      Option.integer("partitions", 100, 1, 1_000_000, "", "lanes of the queue");
  public static final Option<Integer> RAMP_SEC =
      Option.integer("ramp-sec", 0, 0, DAY_SECONDS, "s", "linear ramp at the start of -duration");
  public static final Option<Integer> PUSH_BATCH =
      Option.integer("push-batch", 1, 1, 10_000, "messages", "messages per push, all to one lane");
  public static final Option<Integer> MAX_INFLIGHT =
      Option.integer(
          "max-inflight", 4096, 1, 1_000_000, "requests", "pushes at once; one due above is shed");
  public static final Option<Integer> PACERS =
      Option.integer(
          "pacers", 0, 0, 64, "threads", "threads that serve the schedule; 0 = by the rate");
  public static final Option<Integer> POP_BATCH =
      Option.integer("pop-batch", 100, 1, 100_000, "messages", "most messages per pop");
  public static final Option<Boolean> POP_WAIT = Option.flag("pop-wait", true, "long polls");
  public static final Option<Integer> POP_TIMEOUT =
      Option.integer("pop-timeout", 5000, 1, 600_000, "ms", "longest long poll");
  public static final Option<Integer> POP_PARTITIONS =
      Option.integer("pop-partitions", 1, 0, 100_000, "", "most lanes per pop; 0 = no cap");
  public static final Option<Integer> EMPTY_SLEEP =
      Option.integer("empty-sleep", 5, 0, 60_000, "ms", "pause after an empty pop without wait");
  public static final Option<Integer> PAYLOAD =
      Option.integer(
          "payload", 256, 1, PAYLOAD_MAX_BYTES, "bytes", "payload size; its stamp takes about 110");
  public static final Option<String> PAYLOAD_FILL =
      Option.choice("payload-fill", "what payloads are filled with", "text", "constant");
  public static final Option<Integer> DURATION =
      Option.integer("duration", 60, 1, YEAR_SECONDS, "s", "length of the load, the ramp included");
  public static final Option<Integer> DRAIN =
      Option.integer(
          "drain", 15, 0, DAY_SECONDS, "s", "longest wait for what was accepted to be delivered");
  public static final Option<Integer> REPORT =
      Option.integer("report", 5, 1, 3600, "s", "time between report lines");
  public static final Option<Integer> TIMEOUT =
      Option.integer("timeout", 30_000, 1, 600_000, "ms", "longest wait for an answer");
  public static final Option<Integer> COMPLETED_RETENTION =
      Option.integer(
          "completed-retention", 300, 0, YEAR_SECONDS, "s", "queue option; 0 keeps for ever");
  public static final Option<Integer> PENDING_RETENTION =
      Option.integer(
          "pending-retention", 3600, 0, YEAR_SECONDS, "s", "queue option; 0 keeps for ever");
  public static final Option<Integer> LEASE_TIME =
      Option.integer("lease-time", 30, 1, DAY_SECONDS, "s", "queue option");
  public static final Option<Integer> DEDUP_WINDOW =
      Option.integer(
          "dedup-window",
          0,
          0,
          YEAR_SECONDS,
          "s",
          "queue option; above 0 messages carry transaction ids");
  public static final Option<Integer> RETRIES =
      Option.integer("retries", 0, 0, 100, "", "further attempts of an ack that failed");
  public static final Option<Boolean> VERIFY =
      Option.flag("verify", true, "account for every message; else count only");
  public static final Option<Boolean> FAIL_ON_VERIFY =
      Option.flag("fail-on-verify", true, "exit with 3 when the verdict is FAIL");
  public static final Option<FaultPlan> FAULT =
      Option.parsed(
          "fault",
          FaultPlan.NONE,
          FaultPlan.ACCEPTS,
          "deliberate discrepancies, each to be found by the checker",
          FaultPlan::parse);
  public static final Option<String> OUT =
      Option.text("out", ".", ".+", "a directory", "where the record goes");
  public static final Option<String> RUN_ID =
      Option.text("run-id", null, NAME, NAME_ACCEPTS, "names the record (MODE-UNIXTIME)");
  public static final Option<String> NOTE =
      Option.text("note", "", "(?s).{0,1000}", "up to 1000 characters", "kept in the record");

  private RunOptions() {}

  /** The filler that {@code -payload-fill} asks for. */
  public static Filler filler(String word, int payloadBytes) {
    return word.equals("constant") ? Filler.constant(payloadBytes) : Filler.text(payloadBytes);
  }
}
