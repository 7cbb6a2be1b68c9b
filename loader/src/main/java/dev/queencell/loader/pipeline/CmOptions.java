package dev.queencell.loader.pipeline;

import dev.queencell.loader.options.CellHome;
import dev.queencell.loader.options.Option;
import dev.queencell.loader.options.OptionSet;
import dev.queencell.loader.run.RunOptions;
import java.util.List;

/** The options of {@code -mode cm}, each declared once. */
final class CmOptions {
  static final Option<Integer> PROPERTIES =
      Option.integer("properties", 1000, 1, 1_000_000, "", "lanes of every queue");
  static final Option<Double> RATE_EVENTS =
      Option.decimal("rate-events", 100, 0.001, 1e7, "events/s", "offered over both flows");
  static final Option<Integer> RAMP_SEC = RunOptions.RAMP_SEC.withDefault(15);
  static final Option<Integer> DURATION = RunOptions.DURATION.withDefault(600);
  static final Option<Integer> MAX_INFLIGHT = RunOptions.MAX_INFLIGHT.withDefault(20_000);
  static final Option<Integer> POP_PARTITIONS = RunOptions.POP_PARTITIONS.withDefault(10);
  static final Option<Integer> DEDUP_WINDOW = RunOptions.DEDUP_WINDOW.withDefault(300);
  static final Option<Integer> LEASE_TIME = RunOptions.LEASE_TIME.withDefault(60);
  static final Option<String> LOGDIR =
      Option.text(
          "logdir",
          null,
          ".+",
          "a directory",
          "where produced.meta and the stage logs are (RUN-ID-logs in -out)");
  static final Option<Boolean> VERIFY_ONLY =
      Option.flag("verify-only", false, "run nothing: check the logs in -logdir once more");
  static final Option<Boolean> WARMUP =
      Option.flag(
          "warmup",
          true,
          "sequence 0 of every property goes through both flows before the schedule starts");
  static final Option<Boolean> FINAL_TARGETED =
      Option.flag(
          "final-targeted",
          true,
          "final stages have a consumer per property that pops its lane by name; else -workers pop"
              + " any lanes");
  static final Option<Boolean> INTERMEDIATE_TARGETED =
      Option.flag("intermediate-targeted", true, "the same of the stages that push on");
  static final Option<Integer> WORKERS =
      Option.integer("workers", 64, 1, 100_000, "", "consumers of a stage that pops any lanes");
  static final Option<Integer> WORK_MIN_MS =
      Option.integer("work-min-ms", 10, 0, 600_000, "ms", "shortest work on a property's batch");
  static final Option<Integer> WORK_MAX_MS =
      Option.integer("work-max-ms", 30, 0, 600_000, "ms", "longest work on a property's batch");
  static final Option<Integer> OTA_GROUPS =
      Option.integer("ota-groups", 5, 1, 100, "", "groups on each flow's last queue");
  static final Option<Integer> DRAIN = RunOptions.DRAIN.withDefault(30);

  static final OptionSet SET =
      new OptionSet(
          "cm",
          "A channel manager's pipeline: events of many properties enter two queues, are worked on,"
              + " pushed on to two more and read there by several groups; the order of every"
              + " property is checked at every stage.",
          List.of(
              CellHome.HOME,
              RunOptions.BROKER_URL,
              PROPERTIES,
              RATE_EVENTS,
              RAMP_SEC,
              DURATION,
              MAX_INFLIGHT,
              RunOptions.PACERS,
              RunOptions.POP_BATCH,
              POP_PARTITIONS,
              RunOptions.POP_WAIT,
              RunOptions.POP_TIMEOUT,
              RunOptions.EMPTY_SLEEP,
              DEDUP_WINDOW,
              RunOptions.COMPLETED_RETENTION,
              LEASE_TIME,
              LOGDIR,
              VERIFY_ONLY,
              WARMUP,
              FINAL_TARGETED,
              INTERMEDIATE_TARGETED,
              WORKERS,
              WORK_MIN_MS,
              WORK_MAX_MS,
              OTA_GROUPS,
              DRAIN,
              RunOptions.REPORT,
              RunOptions.TIMEOUT,
              RunOptions.FAIL_ON_VERIFY,
              RunOptions.OUT,
              RunOptions.RUN_ID,
              RunOptions.NOTE));

  private CmOptions() {}
}
