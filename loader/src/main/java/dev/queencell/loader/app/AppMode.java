package dev.queencell.loader.app;

import dev.queencell.client.QueenClient;
import dev.queencell.loader.account.Ledger;
import dev.queencell.loader.account.Verdict;
import dev.queencell.loader.fault.FaultPlan;
import dev.queencell.loader.fault.Judge;
import dev.queencell.loader.measure.Counters;
import dev.queencell.loader.measure.Latencies;
import dev.queencell.loader.options.BadOptionException;
import dev.queencell.loader.options.OptionSet;
import dev.queencell.loader.options.Options;
import dev.queencell.loader.pace.Schedule;
import dev.queencell.loader.pace.Skew;
import dev.queencell.loader.pace.Ticks;
import dev.queencell.loader.run.Bench;
import dev.queencell.loader.run.BrokerTarget;
import dev.queencell.loader.run.Drainage;
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

/**
 * The mode {@code app}. One schedule of orders over uneven lanes; each group keeps an account of
 * its own, in which every order is owed to it exactly once: done, or a dead letter. Invoices are
 * owed to their reader as soon as the transaction that pushed them was committed.
 */
public final class AppMode {
  /** The mode's options. */
  public static final OptionSet OPTIONS = AppOptions.SET;

  private static final int SPARE_CONNECTIONS = 8;
  private static final int BILLING = 0;
  private static final int SHIPPING = 1;

  private final RunFrame frame;
  private final Options options;
  private final Failures failures;

  private AppMode(RunFrame frame) {
    this.frame = frame;
    options = frame.options();
    failures =
        new Failures(options.get(AppOptions.POISON_SHARE), options.get(AppOptions.FAIL_SHARE));
  }

  /** Runs the mode; returns the exit code. */
  public static int run(Invocation invocation) throws InterruptedException {
    var options = invocation.options();
    if (options.get(RunOptions.RAMP_SEC) >= options.get(RunOptions.DURATION)) {
      throw new BadOptionException(
          "-ramp-sec is '%d'; it takes less than -duration (%d)"
              .formatted(options.get(RunOptions.RAMP_SEC), options.get(RunOptions.DURATION)));
    }
    return RunFrame.run(invocation, "app", "broker", frame -> new AppMode(frame).run());
  }

  private int run() throws SetupException, IOException, InterruptedException {
    var url = BrokerTarget.url(options, frame.home());
    frame.begin(url, url, null);
    int groups = 3 + options.get(AppOptions.AUDITS);
    int connections =
        options.get(RunOptions.MAX_INFLIGHT)
            + groups * options.get(AppOptions.CONSUMERS)
            + SPARE_CONNECTIONS;
    try (var transport =
        BrokerTarget.transport(url, connections, options.get(RunOptions.TIMEOUT))) {
      var members = members(BrokerTarget.client(transport));
      configure(members);
      return run(bench(members));
    }
  }

  /** Billing, shipping, audits, and last the reader of the invoices. */
  private List<Member> members(QueenClient client) {
    var queue = options.get(AppOptions.QUEUE);
    var members = new ArrayList<Member>();
    members.add(new Member(BILLING, "billing", client, queue, "billing"));
    members.add(new Member(SHIPPING, "shipping", client, queue, "shipping"));
    for (int i = 1; i <= options.get(AppOptions.AUDITS); i++) {
      members.add(new Member(members.size(), "audit-" + i, client, queue, "audit-" + i));
    }
    members.add(new Member(members.size(), "invoices", client, queue + "-invoices", "ledger"));
    return List.copyOf(members);
  }

  private void configure(List<Member> members) throws SetupException {
    for (var member : List.of(members.getFirst(), members.getLast())) {
      BrokerTarget.configure(
          member.client(),
          member.queue(),
          BrokerTarget.retention(
                  options.get(RunOptions.COMPLETED_RETENTION),
                  options.get(RunOptions.PENDING_RETENTION))
              .leaseSeconds(options.get(RunOptions.LEASE_TIME))
              .retryLimit(options.get(AppOptions.RETRY_LIMIT))
              .deadLetterQueue(true));
    }
  }

  private Bench bench(List<Member> members) {
    // All but the last read the orders.
    var ledger =
        new Ledger(members.size(), options.get(AppOptions.PARTITIONS), true, members.size() - 1);
    int payload = options.get(RunOptions.PAYLOAD);
    int timeoutMs = options.get(RunOptions.POP_TIMEOUT);
    return new Bench(
        ThreadLocalRandom.current().nextInt(1, Integer.MAX_VALUE),
        members,
        new PushPlan(1, payload, options.get(RunOptions.MAX_INFLIGHT), false, 1, 0),
        new PopPlan(
            options.get(RunOptions.POP_BATCH),
            options.get(RunOptions.POP_PARTITIONS),
            options.get(RunOptions.POP_WAIT) ? timeoutMs : 0,
            false,
            options.get(RunOptions.EMPTY_SLEEP),
            1,
            0),
        ledger,
        new Judge(ledger, members.size(), FaultPlan.NONE),
        new Counters(),
        new Latencies(),
        Bench.windowFromNow(options.get(RunOptions.RAMP_SEC), options.get(RunOptions.DURATION)),
        RunOptions.filler(options.get(RunOptions.PAYLOAD_FILL), payload),
        Ticks.system());
  }

  private int run(Bench bench) throws IOException, InterruptedException {
    var load =
        new PacedLoad(
            bench,
            new Schedule(
                options.get(AppOptions.RATE),
                options.get(RunOptions.RAMP_SEC),
                options.get(RunOptions.DURATION)),
            new Skew(options.get(AppOptions.PARTITIONS), options.get(AppOptions.SKEW)),
            options.get(RunOptions.PACERS));
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
              load,
              consumers(bench),
              drainage(bench),
              times,
              frame.console(),
              files,
              frame.interruption());
      run.run();
      return conclude(bench, run);
    }
  }

  private List<AppConsumer> consumers(Bench bench) {
    var consumers = new ArrayList<AppConsumer>();
    var invoices = bench.members().getLast();
    for (int i = 0; i < options.get(AppOptions.CONSUMERS); i++) {
      for (var member : bench.members()) {
        consumers.add(new AppConsumer(bench, member, roleOf(member), invoices, failures));
      }
    }
    return consumers;
  }

  private AppConsumer.Role roleOf(Member member) {
    return switch (member.index()) {
      case BILLING ->
          options.get(AppOptions.TRANSACTIONS)
              ? AppConsumer.Role.BILLING_BY_TRANSACTION
              : AppConsumer.Role.BILLING_PUSH_THEN_ACK;
      case SHIPPING -> AppConsumer.Role.SHIPPING;
      default -> AppConsumer.Role.READING;
    };
  }

  /** Everything that was accepted has to be done by every group, or be a dead letter. */
  private static Drainage drainage(Bench bench) {
    return new Drainage() {
      @Override
      public long open() {
        return bench.ledger().uncompleted();
      }

      @Override
      public boolean drained() {
        return open() == 0;
      }

      @Override
      public void close() {
        bench.judge().close();
      }
    };
  }

  private int conclude(Bench bench, LoadRun run) {
    for (var member : bench.members()) {
      frame
          .console()
          .line(
              "tenant %d is group %s of %s"
                  .formatted(member.index(), member.group(), member.queue()));
    }
    frame
        .console()
        .line(
            "dead letters %d, of which %d would have been done the next time: the broker's counter is the lane's"
                .formatted(failures.deadLetters(), failures.deadBeforeTheirTime()));
    var totals = RunFrame.totals(bench);
    return frame.conclude(
        bench, run, new RunFrame.Findings(true, Verdict.over(totals), totals, null, ""));
  }
}
