package dev.queencell.loader.order;

import dev.queencell.client.QueenClient;
import dev.queencell.loader.account.Ledger;
import dev.queencell.loader.fault.Fault;
import dev.queencell.loader.fault.Judge;
import dev.queencell.loader.measure.Counter;
import dev.queencell.loader.measure.Counters;
import dev.queencell.loader.measure.Latencies;
import dev.queencell.loader.options.BadOptionException;
import dev.queencell.loader.options.CellHome;
import dev.queencell.loader.options.Option;
import dev.queencell.loader.options.OptionSet;
import dev.queencell.loader.options.Options;
import dev.queencell.loader.pace.MovingWindow;
import dev.queencell.loader.pace.Ticks;
import dev.queencell.loader.run.Bench;
import dev.queencell.loader.run.BrokerTarget;
import dev.queencell.loader.run.ClosedLoad;
import dev.queencell.loader.run.Consumer;
import dev.queencell.loader.run.Invocation;
import dev.queencell.loader.run.LoadRun;
import dev.queencell.loader.run.Member;
import dev.queencell.loader.run.PopPlan;
import dev.queencell.loader.run.PushPlan;
import dev.queencell.loader.run.RunFrame;
import dev.queencell.loader.run.RunOptions;
import dev.queencell.loader.run.SetupException;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;

/**
 * The mode {@code order}. One producer has one push underway, so that every message has a known
 * predecessor and any reordering shows; consumers race each other for batches. Says at the end how
 * full the batches were.
 */
public final class OrderMode {
  private static final Option<String> QUEUE =
      Option.text("queue", "orderq", RunOptions.NAME, RunOptions.NAME_ACCEPTS, "queue name");
  private static final Option<String> GROUP =
      Option.text("group", "order", RunOptions.NAME, RunOptions.NAME_ACCEPTS, "consumer group");
  private static final Option<Integer> PARTITIONS = RunOptions.PARTITIONS.withDefault(10);
  private static final Option<Integer> MESSAGES =
      Option.integer(
          "messages",
          10_000,
          0,
          Integer.MAX_VALUE,
          "messages",
          "ends the load, rounded up to whole pushes; 0 = -duration ends it");
  private static final Option<Integer> DURATION = RunOptions.DURATION.withDefault(600);
  private static final Option<Integer> CONSUMERS =
      Option.integer("consumers", 4, 1, 10_000, "", "consumers that race for the lanes");
  private static final Option<Integer> DRAIN = RunOptions.DRAIN.withDefault(60);

  /** The mode's options. */
  public static final OptionSet OPTIONS =
      new OptionSet(
          "order",
          "One producer pushes message after message, many consumers pop and ack them: order, loss,"
              + " duplication and batching together.",
          List.of(
              CellHome.HOME,
              RunOptions.BROKER_URL,
              QUEUE,
              GROUP,
              PARTITIONS,
              MESSAGES,
              DURATION,
              RunOptions.PUSH_BATCH,
              CONSUMERS,
              RunOptions.POP_BATCH,
              RunOptions.POP_PARTITIONS,
              RunOptions.POP_WAIT,
              RunOptions.POP_TIMEOUT,
              RunOptions.EMPTY_SLEEP,
              RunOptions.PAYLOAD,
              RunOptions.PAYLOAD_FILL,
              DRAIN,
              RunOptions.REPORT,
              RunOptions.TIMEOUT,
              RunOptions.RETRIES,
              RunOptions.COMPLETED_RETENTION,
              RunOptions.PENDING_RETENTION,
              RunOptions.LEASE_TIME,
              RunOptions.DEDUP_WINDOW,
              RunOptions.FAIL_ON_VERIFY,
              RunOptions.FAULT,
              RunOptions.OUT,
              RunOptions.RUN_ID,
              RunOptions.NOTE));

  private static final int SPARE_CONNECTIONS = 8;

  private final RunFrame frame;
  private final Options options;

  private OrderMode(RunFrame frame) {
    this.frame = frame;
    options = frame.options();
  }

  /** Runs the mode; returns the exit code. */
  public static int run(Invocation invocation) throws InterruptedException {
    return RunFrame.run(invocation, "order", "broker", frame -> new OrderMode(frame).run());
  }

  private int run() throws SetupException, IOException, InterruptedException {
    if (options.get(RunOptions.FAULT).count(Fault.CROSS) > 0) {
      throw new BadOptionException(
          "-fault takes cross with at least two tenants only: -mode cloud");
    }
    var url = BrokerTarget.url(options, frame.home());
    frame.begin(url, url, null);
    int connections = options.get(CONSUMERS) + SPARE_CONNECTIONS;
    try (var transport =
        BrokerTarget.transport(url, connections, options.get(RunOptions.TIMEOUT))) {
      var client = BrokerTarget.client(transport);
      BrokerTarget.configure(
          client,
          options.get(QUEUE),
          BrokerTarget.retention(
                  options.get(RunOptions.COMPLETED_RETENTION),
                  options.get(RunOptions.PENDING_RETENTION))
              .leaseSeconds(options.get(RunOptions.LEASE_TIME))
              .dedupWindowSeconds(options.get(RunOptions.DEDUP_WINDOW)));
      return run(bench(client));
    }
  }

  private int run(Bench bench) throws IOException, InterruptedException {
    int batch = options.get(RunOptions.PUSH_BATCH);
    int partitions = options.get(PARTITIONS);
    long pushes = (options.get(MESSAGES) + batch - 1L) / batch;
    var load = new ClosedLoad(bench, new MovingWindow(partitions, partitions), 1, pushes);
    var consumers =
        IntStream.range(0, options.get(CONSUMERS))
            .mapToObj(i -> new Consumer(bench, bench.members().getFirst(), i))
            .toList();
    try (var files = frame.files(bench)) {
      var times =
          new LoadRun.Times(
              options.get(DURATION),
              options.get(DRAIN),
              options.get(RunOptions.REPORT),
              options.get(RunOptions.TIMEOUT));
      var run =
          new LoadRun(bench, load, consumers, times, frame.console(), files, frame.interruption());
      run.run();
      frame.console().line(batching(bench.counters()));
      return frame.conclude(bench, run, RunFrame.Findings.of(true, RunFrame.totals(bench)));
    }
  }

  private Bench bench(QueenClient client) {
    var ledger = new Ledger(1, options.get(PARTITIONS), true);
    int payload = options.get(RunOptions.PAYLOAD);
    int timeoutMs = options.get(RunOptions.POP_TIMEOUT);
    return new Bench(
        ThreadLocalRandom.current().nextInt(1, Integer.MAX_VALUE),
        List.of(new Member(0, "broker", client, options.get(QUEUE), options.get(GROUP))),
        new PushPlan(
            options.get(RunOptions.PUSH_BATCH),
            payload,
            1,
            options.get(RunOptions.DEDUP_WINDOW) > 0,
            1,
            0),
        new PopPlan(
            options.get(RunOptions.POP_BATCH),
            options.get(RunOptions.POP_PARTITIONS),
            options.get(RunOptions.POP_WAIT) ? timeoutMs : 0,
            false,
            options.get(RunOptions.EMPTY_SLEEP),
            1 + options.get(RunOptions.RETRIES),
            0),
        ledger,
        new Judge(ledger, 1, options.get(RunOptions.FAULT)),
        new Counters(),
        new Latencies(),
        Bench.windowFromNow(0, options.get(DURATION)),
        RunOptions.filler(options.get(RunOptions.PAYLOAD_FILL), payload),
        Ticks.system());
  }

  private static String batching(Counters counters) {
    long full = counters.total(Counter.POP_REQUESTS) - counters.total(Counter.EMPTY_POPS);
    long messages = counters.total(Counter.DELIVERED) + counters.total(Counter.REPEATED);
    return String.format(
        Locale.ROOT,
        "batching: %d messages in %d pops, %.1f each; %d pops came back empty",
        messages,
        full,
        full == 0 ? 0.0 : messages / (double) full,
        counters.total(Counter.EMPTY_POPS));
  }
}
