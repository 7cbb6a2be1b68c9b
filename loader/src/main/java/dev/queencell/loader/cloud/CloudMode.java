package dev.queencell.loader.cloud;

import dev.queencell.loader.account.Ledger;
import dev.queencell.loader.fault.Judge;
import dev.queencell.loader.measure.Counters;
import dev.queencell.loader.measure.Latencies;
import dev.queencell.loader.options.OptionSet;
import dev.queencell.loader.options.Options;
import dev.queencell.loader.pace.RoundOfProducers;
import dev.queencell.loader.pace.Schedule;
import dev.queencell.loader.pace.Ticks;
import dev.queencell.loader.run.Bench;
import dev.queencell.loader.run.Consumer;
import dev.queencell.loader.run.Invocation;
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

/** The mode {@code cloud}, from its options to its record and exit code. */
public final class CloudMode {
  /** The mode's options. */
  public static final OptionSet OPTIONS = CloudOptions.SET;

  private final RunFrame frame;
  private final Options options;
  private final Setup setup;

  private CloudMode(RunFrame frame) {
    this.frame = frame;
    options = frame.options();
    setup = new Setup(options, frame.home());
  }

  /** Runs the mode; returns the exit code. */
  public static int run(Invocation invocation) throws InterruptedException {
    var target = invocation.options().get(CloudOptions.TARGET);
    return RunFrame.run(invocation, "cloud", target, frame -> new CloudMode(frame).run());
  }

  private int run() throws SetupException, IOException, InterruptedException {
    var tenants = setup.tenants();
    setup.check(tenants.size());
    frame.begin(setup.url().toString(), setup.brokerUrl(), setup.proxyUrl());
    try (var transport = setup.transport(tenants.size())) {
      var members = setup.members(tenants, transport);
      setup.configure(members);
      var bench = bench(members);
      try (var files = frame.files(bench)) {
        var times =
            new LoadRun.Times(
                options.get(RunOptions.DURATION),
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
        return frame.conclude(
            bench,
            run,
            RunFrame.Findings.of(options.get(RunOptions.VERIFY), RunFrame.totals(bench)));
      }
    }
  }

  private Bench bench(List<Member> members) {
    int partitions = options.get(CloudOptions.PARTITIONS);
    var ledger = new Ledger(members.size(), partitions, options.get(RunOptions.VERIFY));
    int payload = options.get(RunOptions.PAYLOAD);
    int timeoutMs = options.get(RunOptions.POP_TIMEOUT);
    return new Bench(
        ThreadLocalRandom.current().nextInt(1, Integer.MAX_VALUE),
        members,
        new PushPlan(
            options.get(RunOptions.PUSH_BATCH),
            payload,
            options.get(RunOptions.MAX_INFLIGHT),
            options.get(RunOptions.DEDUP_WINDOW) > 0,
            options.get(CloudOptions.RETRY429_ATTEMPTS),
            0),
        new PopPlan(
            options.get(RunOptions.POP_BATCH),
            options.get(RunOptions.POP_PARTITIONS),
            options.get(RunOptions.POP_WAIT) ? timeoutMs : 0,
            options.get(CloudOptions.AUTO_ACK),
            options.get(RunOptions.EMPTY_SLEEP),
            1 + options.get(RunOptions.RETRIES),
            0),
        ledger,
        new Judge(
            ledger,
            members.size(),
            options.get(RunOptions.FAULT).onTenant(options.get(CloudOptions.FAULT_TENANT))),
        new Counters(),
        new Latencies(),
        Bench.windowFromNow(options.get(RunOptions.RAMP_SEC), options.get(RunOptions.DURATION)),
        RunOptions.filler(options.get(RunOptions.PAYLOAD_FILL), payload),
        Ticks.system());
  }

  private PacedLoad load(Bench bench) {
    // How many tenants produce: the fraction, rounded up.
    int active =
        (int) Math.ceil(bench.members().size() * options.get(CloudOptions.ACTIVE_FRACTION));
    double perTenant = options.get(CloudOptions.PER_TENANT_RATE);
    double total = options.get(CloudOptions.RATE);
    double rate = perTenant > 0 ? perTenant * active : total;
    return new PacedLoad(
        bench,
        new Schedule(
            rate / options.get(RunOptions.PUSH_BATCH),
            options.get(RunOptions.RAMP_SEC),
            options.get(RunOptions.DURATION)),
        new RoundOfProducers(
            active, options.get(CloudOptions.PRODUCERS), options.get(CloudOptions.PARTITIONS)),
        options.get(RunOptions.PACERS));
  }

  private List<Consumer> consumers(Bench bench) {
    var consumers = new ArrayList<Consumer>();
    for (int i = 0; i < options.get(CloudOptions.CONSUMERS); i++) {
      for (var member : bench.members()) {
        consumers.add(new Consumer(bench, member, i));
      }
    }
    return consumers;
  }
}
