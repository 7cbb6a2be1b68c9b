package dev.queencell.loader.throughput;

import dev.queencell.loader.options.CellHome;
import dev.queencell.loader.options.Option;
import dev.queencell.loader.options.OptionSet;
import dev.queencell.loader.run.RunOptions;
import java.util.ArrayList;
import java.util.List;

/** The options of {@code -mode max} and {@code -mode openloop}, each declared once. */
final class ThroughputOptions {
  static final Option<String> QUEUE =
      Option.text("queue", "benchq", RunOptions.NAME, RunOptions.NAME_ACCEPTS, "queue name");
  static final Option<Integer> PRODUCERS =
      Option.integer("producers", 300, 1, 100_000, "", "producers, each with one push at a time");
  static final Option<Integer> CONSUMERS =
      Option.integer("consumers", 150, 0, 100_000, "", "consumers, each with one pop at a time");
  static final Option<Boolean> POP_WILDCARD =
      Option.flag(
          "pop-wildcard",
          true,
          "pops take any lanes; else each consumer asks its share of the lanes by name");
  static final Option<Integer> PUSH_BATCH = RunOptions.PUSH_BATCH.withDefault(10);
  static final Option<Integer> POP_BATCH = RunOptions.POP_BATCH.withDefault(200);
  static final Option<Boolean> POP_WAIT = RunOptions.POP_WAIT.withDefault(false);
  static final Option<Integer> POP_TIMEOUT = RunOptions.POP_TIMEOUT.withDefault(2000);
  static final Option<Integer> EMPTY_SLEEP = RunOptions.EMPTY_SLEEP.withDefault(2);
  static final Option<Integer> MAX_INFLIGHT = RunOptions.MAX_INFLIGHT.withDefault(20_000);
  static final Option<Integer> PENDING_RETENTION = RunOptions.PENDING_RETENTION.withDefault(0);
  static final Option<Integer> DURATION =
      Option.integer(
          "duration",
          0,
          0,
          RunOptions.YEAR_SECONDS,
          "s",
          "length of the load, the ramp included; 0 = until interrupted");
  static final Option<Integer> IDLE_CONNS =
      Option.integer(
          "idle-conns",
          512,
          0,
          1_000_000,
          "",
          "connections in the pool, never fewer than producers and consumers hold at once; 0 = as"
              + " many as can be used");
  static final Option<Boolean> MANUAL_ACK =
      Option.flag(
          "manual-ack", false, "pops lease and every message is acked; else the pop acks itself");
  static final Option<Boolean> ACK_ASYNC =
      Option.flag("ack-async", false, "consumers go on popping while their acks are underway");
  static final Option<Integer> ACK_INFLIGHT =
      Option.integer(
          "ack-inflight", 256, 1, 100_000, "requests", "most acks underway per consumer, if async");
  static final Option<Integer> LEASE_TIME = RunOptions.LEASE_TIME;
  static final Option<Integer> RETRIES =
      Option.integer("retries", 2, 0, 100, "", "further attempts of a push or ack that failed");
  static final Option<Double> RATE =
      Option.decimal("rate", 1000, 0.001, 1e8, "messages/s", "offered");
  static final Option<Integer> ACTIVE_PARTITIONS =
      Option.integer(
          "active-partitions",
          0,
          0,
          1_000_000,
          "",
          "lanes that take pushes in any one second, a window that moves on by as many each second;"
              + " 0 = all");
  static final Option<Boolean> VERIFY = RunOptions.VERIFY.withDefault(false);

  private static final List<Option<?>> BOTH =
      List.of(
          CellHome.HOME,
          RunOptions.BROKER_URL,
          QUEUE,
          RunOptions.PARTITIONS,
          CONSUMERS,
          PUSH_BATCH,
          POP_BATCH,
          POP_WILDCARD,
          RunOptions.POP_PARTITIONS,
          POP_WAIT,
          POP_TIMEOUT,
          RunOptions.PAYLOAD,
          RunOptions.PAYLOAD_FILL,
          DURATION,
          RunOptions.DRAIN,
          IDLE_CONNS,
          RunOptions.REPORT,
          RunOptions.COMPLETED_RETENTION,
          PENDING_RETENTION,
          RunOptions.DEDUP_WINDOW,
          LEASE_TIME,
          RunOptions.TIMEOUT,
          EMPTY_SLEEP,
          MANUAL_ACK,
          ACK_ASYNC,
          ACK_INFLIGHT,
          RunOptions.OUT,
          RunOptions.RUN_ID,
          RunOptions.NOTE);

  static final OptionSet MAX =
      new OptionSet(
          "max",
          "Pushes as fast as the producers are answered and pops as fast as the consumers are:"
              + " pure in-and-out on one queue, counted and not verified.",
          with(PRODUCERS, RETRIES));

  static final OptionSet OPENLOOP =
      new OptionSet(
          "openloop",
          "Pushes to one queue at a fixed rate, whatever the broker does, and drains it with"
              + " closed-loop consumers.",
          with(
              RATE,
              MAX_INFLIGHT,
              RunOptions.PACERS,
              RunOptions.RAMP_SEC,
              ACTIVE_PARTITIONS,
              VERIFY,
              RunOptions.FAIL_ON_VERIFY,
              RunOptions.FAULT));

  private ThroughputOptions() {}

  private static List<Option<?>> with(Option<?>... more) {
    var all = new ArrayList<>(BOTH);
    all.addAll(List.of(more));
    return List.copyOf(all);
  }
}
