package dev.queencell.loader.throughput;

import dev.queencell.client.QueenClient;
import dev.queencell.loader.account.Ledger;
import dev.queencell.loader.fault.Fault;
import dev.queencell.loader.fault.FaultPlan;
import dev.queencell.loader.fault.Judge;
import dev.queencell.loader.measure.Counters;
import dev.queencell.loader.measure.Latencies;
import dev.queencell.loader.options.BadOptionException;
import dev.queencell.loader.options.OptionSet;
import dev.queencell.loader.options.Options;
import dev.queencell.loader.pace.MovingWindow;
import dev.queencell.loader.pace.Schedule;
import dev.queencell.loader.pace.Ticks;
import dev.queencell.loader.run.Bench;
import dev.queencell.loader.run.BrokerTarget;
import dev.queencell.loader.run.ClosedLoad;
import dev.queencell.loader.run.Consumer;
import dev.queencell.loader.run.Invocation;
import dev.queencell.loader.run.Load;
import dev.queencell.loader.run.LoadRun;
import dev.queencell.loader.run.Member;
import dev.queencell.loader.run.PacedLoad;
import dev.queencell.loader.run.PopPlan;
import dev.queencell.loader.run.PushPlan;
import dev.queencell.loader.run.RunFrame;
import dev.queencell.loader.run.RunOptions;
import dev.queencell.loader.run.SetupException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;

/**
 * The modes {@code max} and {@code openloop}: the same queue and the same consumers; producers that
 * wait for their answers in the one, a schedule that waits for nothing in the other.
 */
public final class ThroughputMode {
  /** The options of {@code max}. */
  public static final OptionSet MAX_OPTIONS = ThroughputOptions.MAX;

  /** The options of {@code openloop}. */
  public static final OptionSet OPENLOOP_OPTIONS = ThroughputOptions.OPENLOOP;

  /** Connections for depth queries and the like, beside pushes, pops and acks. */
  private static final int SPARE_CONNECTIONS = 8;

  private final RunFrame frame;
  private final Options options;
  private final boolean paced;

  private ThroughputMode(RunFrame frame, boolean paced) {
    this.frame = frame;
    this.paced = paced;
    options = frame.options();
  }

  /** Runs {@code max}; returns the exit code. */
  public static int runMax(Invocation invocation) throws InterruptedException {
    return RunFrame.run(
        invocation, "max", "broker", frame -> new ThroughputMode(frame, false).run());
  }

  /** Runs {@code openloop}; returns the exit code. */
  public static int runOpenLoop(Invocation invocation) throws InterruptedException {
    return RunFrame.run(
        invocation, "openloop", "broker", frame -> new ThroughputMode(frame, true).run());
  }

  private int run() throws SetupException, IOException, InterruptedException {
    check();
    var url = BrokerTarget.url(options, frame.home());
    frame.begin(url, url, null);
    try (var transport =
        BrokerTarget.transport(url, connections(), options.get(RunOptions.TIMEOUT))) {
      var client = BrokerTarget.client(transport);
      configure(client);
      var bench = bench(client);
      try (var files = frame.files(bench)) {
        var times =
            new LoadRun.Times(
                options.get(ThroughputOptions.DURATION),
                options.get(RunOptions.DRAIN),
                options.get(RunOptions.REPORT),
                options.get(RunOptions.TIMEOUT));
        var run =
            new LoadRun(
                bench,
                load(bench),
                consumers(bench),
                times,
                frame.console(),
                files,
                frame.interruption());
        run.run();
        return frame.conclude(bench, run, RunFrame.Findings.of(verified(), RunFrame.totals(bench)));
      }
    }
  }

  private void check() {
    if (options.get(ThroughputOptions.ACK_ASYNC) && !options.get(ThroughputOptions.MANUAL_ACK)) {
      throw new BadOptionException("-ack-async is 'true'; it takes true with -manual-ack only");
    }
    if (!paced) {
      return;
    }
    if (options.get(ThroughputOptions.ACTIVE_PARTITIONS) > options.get(RunOptions.PARTITIONS)) {
      throw new BadOptionException(
          "-active-partitions is '%d'; it takes no more than -partitions (%d)"
              .formatted(
                  options.get(ThroughputOptions.ACTIVE_PARTITIONS),
                  options.get(RunOptions.PARTITIONS)));
    }
    if (options.get(RunOptions.RAMP_SEC) >= seconds()) {
      throw new BadOptionException(
          "-ramp-sec is '%d'; it takes less than -duration (%d)"
              .formatted(options.get(RunOptions.RAMP_SEC), seconds()));
    }
    var faults = options.get(RunOptions.FAULT);
    if (faults.count(Fault.CROSS) > 0) {
      throw new BadOptionException(
          "-fault takes cross with at least two tenants only: -mode cloud");
    }
    if (faults.count(Fault.DROP_ACK) > 0 && !options.get(ThroughputOptions.MANUAL_ACK)) {
      throw new BadOptionException("-fault takes drop-ack with -manual-ack only");
    }
    if (faults.count(Fault.SWAP) > 0 && !hasOrder()) {
      throw new BadOptionException(
          "-fault takes swap only where order is judged: with -manual-ack, or -pop-wildcard=false");
    }
    if (!faults.isEmpty() && !verified()) {
      throw new BadOptionException("-fault takes faults with -verify only");
    }
  }

  private boolean verified() {
    return paced && options.get(ThroughputOptions.VERIFY);
  }

  /** Whether a partition has one reader at a time: by its lease, or since nobody else reads it. */
  private boolean hasOrder() {
    return options.get(ThroughputOptions.MANUAL_ACK)
        || !options.get(ThroughputOptions.POP_WILDCARD)
        || options.get(ThroughputOptions.CONSUMERS) == 1;
  }

  /** Length of the load; a year where it has no end. */
  private int seconds() {
    int seconds = options.get(ThroughputOptions.DURATION);
    return seconds == 0 ? RunOptions.YEAR_SECONDS : seconds;
  }

  private int acksInFlight() {
    int most = options.get(ThroughputOptions.ACK_INFLIGHT);
    return options.get(ThroughputOptions.ACK_ASYNC) ? most : 0;
  }

  private int connections() {
    int consumers = options.get(ThroughputOptions.CONSUMERS);
    int held = consumers + (paced ? 0 : options.get(ThroughputOptions.PRODUCERS));
    int asked = options.get(ThroughputOptions.IDLE_CONNS);
    if (asked > 0) {
      return Math.max(asked, held + SPARE_CONNECTIONS);
    }
    int pushes = paced ? options.get(ThroughputOptions.MAX_INFLIGHT) : 0;
    return held + pushes + Math.min(100_000, consumers * acksInFlight()) + SPARE_CONNECTIONS;
  }

  private void configure(QueenClient client) throws SetupException {
    BrokerTarget.configure(
        client,
        options.get(ThroughputOptions.QUEUE),
        BrokerTarget.retention(
                options.get(RunOptions.COMPLETED_RETENTION),
                options.get(ThroughputOptions.PENDING_RETENTION))
            .leaseSeconds(options.get(ThroughputOptions.LEASE_TIME))
            .dedupWindowSeconds(options.get(RunOptions.DEDUP_WINDOW)));
  }

  private Bench bench(QueenClient client) {
    int partitions = options.get(RunOptions.PARTITIONS);
    var ledger =
        hasOrder()
            ? new Ledger(1, partitions, verified())
            : Ledger.withoutOrder(1, partitions, verified());
    int payload = options.get(RunOptions.PAYLOAD);
    int retries = paced ? 0 : options.get(ThroughputOptions.RETRIES);
    int timeoutMs = options.get(ThroughputOptions.POP_TIMEOUT);
    return new Bench(
        ThreadLocalRandom.current().nextInt(1, Integer.MAX_VALUE),
        List.of(new Member(0, "broker", client, options.get(ThroughputOptions.QUEUE), "")),
        new PushPlan(
            options.get(ThroughputOptions.PUSH_BATCH),
            payload,
            paced ? options.get(ThroughputOptions.MAX_INFLIGHT) : 0,
            options.get(RunOptions.DEDUP_WINDOW) > 0,
            1,
            retries),
        new PopPlan(
            options.get(ThroughputOptions.POP_BATCH),
            options.get(RunOptions.POP_PARTITIONS),
            options.get(ThroughputOptions.POP_WAIT) ? timeoutMs : 0,
            !options.get(ThroughputOptions.MANUAL_ACK),
            options.get(ThroughputOptions.EMPTY_SLEEP),
            1 + retries,
            acksInFlight()),
        ledger,
        new Judge(ledger, 1, paced ? options.get(RunOptions.FAULT) : FaultPlan.NONE),
        new Counters(),
        new Latencies(),
        Bench.windowFromNow(paced ? options.get(RunOptions.RAMP_SEC) : 0, seconds()),
        RunOptions.filler(options.get(RunOptions.PAYLOAD_FILL), payload),
        Ticks.system());
  }

  private Load load(Bench bench) {
    int partitions = options.get(RunOptions.PARTITIONS);
    if (!paced) {
      return new ClosedLoad(
          bench,
          new MovingWindow(partitions, partitions),
          options.get(ThroughputOptions.PRODUCERS),
          0);
    }
    int active = options.get(ThroughputOptions.ACTIVE_PARTITIONS);
    return new PacedLoad(
        bench,
        new Schedule(
            options.get(ThroughputOptions.RATE) / options.get(ThroughputOptions.PUSH_BATCH),
            options.get(RunOptions.RAMP_SEC),
            seconds()),
        new MovingWindow(partitions, active == 0 ? partitions : active),
        options.get(RunOptions.PACERS));
  }

  private List<Consumer> consumers(Bench bench) {
    int count = options.get(ThroughputOptions.CONSUMERS);
    int partitions = options.get(RunOptions.PARTITIONS);
    var member = bench.members().getFirst();
    var consumers = new ArrayList<Consumer>();
    for (int i = 0; i < count; i++) {
      int number = i;
      if (options.get(ThroughputOptions.POP_WILDCARD)) {
        consumers.add(new Consumer(bench, member, i));
      } else if (i < partitions) {
        consumers.add(
            Consumer.ofPartitions(
                bench,
                member,
                i,
                IntStream.range(0, partitions).filter(p -> p % count == number).toArray()));
      }
    }
    return consumers;
  }
}
