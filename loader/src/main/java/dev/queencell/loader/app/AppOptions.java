package dev.queencell.loader.app;

import dev.queencell.loader.options.CellHome;
import dev.queencell.loader.options.Option;
import dev.queencell.loader.options.OptionSet;
import dev.queencell.loader.run.RunOptions;
import java.util.List;

/** The options of {@code -mode app}, each declared once. */
final class AppOptions {
  static final Option<String> QUEUE =
      Option.text(
          "queue",
          "app-orders",
          RunOptions.NAME,
          RunOptions.NAME_ACCEPTS,
          "queue of the orders; invoices go to the same name and '-invoices'");
  static final Option<Integer> PARTITIONS = RunOptions.PARTITIONS.withDefault(50);
  static final Option<Double> RATE =
      Option.decimal("rate", 200, 0.001, 1e7, "messages/s", "orders offered");
  static final Option<Double> SKEW =
      Option.decimal(
          "skew", 2, 1, 20, "", "how uneven the lanes are: 1 = even, 3 = a tenth takes half");
  static final Option<Integer> AUDITS =
      Option.integer("audits", 2, 0, 50, "groups", "further groups that get every order");
  static final Option<Integer> CONSUMERS =
      Option.integer("consumers", 4, 1, 10_000, "", "consumers of each group");
  static final Option<Double> FAIL_SHARE =
      Option.decimal(
          "fail-share",
          0.02,
          0,
          1,
          "",
          "share of the orders that shipping fails once and then does");
  static final Option<Double> POISON_SHARE =
      Option.decimal(
          "poison-share", 0.002, 0, 1, "", "share of the orders that shipping fails every time");
  static final Option<Integer> RETRY_LIMIT =
      Option.integer(
          "retry-limit", 3, 0, 1000, "", "queue option: failures before an order is a dead letter");
  static final Option<Boolean> TRANSACTIONS =
      Option.flag(
          "transactions",
          true,
          "billing acks orders and pushes their invoices in one transaction; else it pushes, then"
              + " acks");

  static final OptionSet SET =
      new OptionSet(
          "app",
          "An application's shape: billing turns orders into invoices, shipping fails some of them"
              + " and some for good, audits read all of them, and every group's account is kept.",
          List.of(
              CellHome.HOME,
              RunOptions.BROKER_URL,
              QUEUE,
              PARTITIONS,
              RATE,
              SKEW,
              AUDITS,
              CONSUMERS,
              FAIL_SHARE,
              POISON_SHARE,
              RETRY_LIMIT,
              TRANSACTIONS,
              RunOptions.RAMP_SEC,
              RunOptions.MAX_INFLIGHT,
              RunOptions.PACERS,
              RunOptions.POP_BATCH,
              RunOptions.POP_PARTITIONS,
              RunOptions.POP_WAIT,
              RunOptions.POP_TIMEOUT,
              RunOptions.EMPTY_SLEEP,
              RunOptions.PAYLOAD,
              RunOptions.PAYLOAD_FILL,
              RunOptions.DURATION,
              RunOptions.DRAIN,
              RunOptions.REPORT,
              RunOptions.TIMEOUT,
              RunOptions.COMPLETED_RETENTION,
              RunOptions.PENDING_RETENTION,
              RunOptions.LEASE_TIME,
              RunOptions.FAIL_ON_VERIFY,
              RunOptions.OUT,
              RunOptions.RUN_ID,
              RunOptions.NOTE));

  private AppOptions() {}
}
