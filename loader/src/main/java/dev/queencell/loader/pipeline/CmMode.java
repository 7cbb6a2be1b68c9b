package dev.queencell.loader.pipeline;

import dev.queencell.client.QueenClient;
import dev.queencell.loader.account.Ledger;
import dev.queencell.loader.account.Verdict;
import dev.queencell.loader.fault.FaultPlan;
import dev.queencell.loader.fault.Judge;
import dev.queencell.loader.measure.Counters;
import dev.queencell.loader.measure.Latencies;
import dev.queencell.loader.measure.Reason;
import dev.queencell.loader.options.BadOptionException;
import dev.queencell.loader.options.OptionSet;
import dev.queencell.loader.options.Options;
import dev.queencell.loader.pace.Ticks;
import dev.queencell.loader.payload.Filler;
import dev.queencell.loader.run.Bench;
import dev.queencell.loader.run.BrokerTarget;
import dev.queencell.loader.run.Drainage;
import dev.queencell.loader.run.Invocation;
import dev.queencell.loader.run.LoadRun;
import dev.queencell.loader.run.PopPlan;
import dev.queencell.loader.run.PushPlan;
import dev.queencell.loader.run.RunFrame;
import dev.queencell.loader.run.RunOptions;
import dev.queencell.loader.run.SetupException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** The mode {@code cm}, from its options to its table, record and exit code. */
public final class CmMode {
  /** The mode's options. */
  public static final OptionSet OPTIONS = CmOptions.SET;

  private static final int SPARE_CONNECTIONS = 8;
  private static final int PUSH_CONNECTIONS = 256;
  private static final long WARM_UP_MAX_NANOS = 120_000_000_000L;
  private static final long LOOK_EVERY_NANOS = 20_000_000;
  private static final int EXIT_SETUP_FAILED = 1;
  private static final int EXIT_VERDICT_FAILED = 3;

  private final RunFrame frame;
  private final Options options;
  private final List<Topology.Stage> stages;
  private final int properties;

  private CmMode(RunFrame frame) {
    this.frame = frame;
    options = frame.options();
    stages = Topology.stages(options.get(CmOptions.OTA_GROUPS));
    properties = options.get(CmOptions.PROPERTIES);
  }

  /** Runs the mode; returns the exit code. */
  public static int run(Invocation invocation) throws InterruptedException {
    var options = invocation.options();
    if (options.get(CmOptions.VERIFY_ONLY)) {
      if (options.get(CmOptions.LOGDIR) == null) {
        throw new BadOptionException("-logdir has no value; -verify-only takes a run's logs there");
      }
      return verify(Path.of(options.get(CmOptions.LOGDIR)), invocation.out());
    }
    if (options.get(CmOptions.RAMP_SEC) >= options.get(CmOptions.DURATION)) {
      throw new BadOptionException(
          "-ramp-sec is '%d'; it takes less than -duration (%d)"
              .formatted(options.get(CmOptions.RAMP_SEC), options.get(CmOptions.DURATION)));
    }
    return RunFrame.run(invocation, "cm", "broker", frame -> new CmMode(frame).run());
  }

  /** Checks a run's logs once more, reading each as a stream. */
  private static int verify(Path directory, PrintStream out) {
    try {
      var file = ProducedFile.read(directory);
      var table = new StageTable(file.causes() > 0);
      for (var stage : Topology.stages(file.otaGroups())) {
        table.add(
            stage.name(),
            StageLog.read(directory, stage.name(), file.properties())
                .against(file.queues().get(stage.queue())));
      }
      table.lines().forEach(out::println);
      var verdict = table.verdict();
      out.println("VERDICT: " + verdict.kind().text() + " (" + table.detail() + ")");
      return verdict.kind() == Verdict.Kind.FAIL ? EXIT_VERDICT_FAILED : 0;
    } catch (IOException e) {
      out.println("verifying failed: " + Reason.of(e));
      return EXIT_SETUP_FAILED;
    }
  }

  private int run() throws SetupException, IOException, InterruptedException {
    var url = BrokerTarget.url(options, frame.home());
    frame.begin(url, url, null);
    try (var transport =
        BrokerTarget.transport(url, connections(), options.get(RunOptions.TIMEOUT))) {
      var client = BrokerTarget.client(transport);
      for (var queue : Topology.QUEUES) {
        BrokerTarget.configure(
            client,
            queue,
            BrokerTarget.retention(options.get(RunOptions.COMPLETED_RETENTION), 0)
                .leaseSeconds(options.get(CmOptions.LEASE_TIME))
                .dedupWindowSeconds(options.get(CmOptions.DEDUP_WINDOW)));
      }
      return run(client);
    }
  }

  private int run(QueenClient client) throws SetupException, IOException, InterruptedException {
    var named = options.get(CmOptions.LOGDIR);
    var logdir = named == null ? frame.out().resolve(frame.runId() + "-logs") : Path.of(named);
    Files.createDirectories(logdir);
    var logs = new LinkedHashMap<String, StageLog>();
    for (var stage : stages) {
      logs.put(stage.name(), new StageLog(logdir, stage.name()));
    }
    int runNumber = ThreadLocalRandom.current().nextInt(1, Integer.MAX_VALUE);
    var pipeline = new Pipeline(options, client, logs, bench(runNumber));
    var workers = workers(pipeline);
    boolean warm = options.get(CmOptions.WARMUP);
    try {
      if (warm) {
        workers.forEach(StageWorker::start);
        warmUp(pipeline);
        pipeline.begin(bench(runNumber));
      }
      return run(pipeline, workers, warm ? 1 : 0, logdir);
    } finally {
      workers.forEach(StageWorker::stop);
      logs.values().forEach(StageLog::close);
    }
  }

  private int run(Pipeline pipeline, List<StageWorker> workers, int firstSequence, Path logdir)
      throws IOException, InterruptedException {
    try (var files = frame.files(pipeline.bench())) {
      var times =
          new LoadRun.Times(
              options.get(CmOptions.DURATION),
              options.get(CmOptions.DRAIN),
              options.get(RunOptions.REPORT),
              options.get(RunOptions.TIMEOUT));
      var run =
          new LoadRun(
              pipeline.bench(),
              new Ingress(pipeline, firstSequence),
              workers,
              drainage(pipeline),
              times,
              frame.console(),
              files,
              frame.interruption());
      run.run();
      return conclude(pipeline, run, logdir);
    }
  }

  /** A stage's consumers. */
  private int workersOf(Topology.Stage stage) {
    int anyLanes = options.get(CmOptions.WORKERS);
    return targeted(stage) ? properties : anyLanes;
  }

  private boolean targeted(Topology.Stage stage) {
    return options.get(
        stage.isFinal() ? CmOptions.FINAL_TARGETED : CmOptions.INTERMEDIATE_TARGETED);
  }

  private int connections() {
    return stages.stream().mapToInt(this::workersOf).sum() + PUSH_CONNECTIONS + SPARE_CONNECTIONS;
  }

  private List<StageWorker> workers(Pipeline pipeline) {
    var workers = new ArrayList<StageWorker>();
    for (var stage : stages) {
      for (int i = 0; i < workersOf(stage); i++) {
        workers.add(new StageWorker(pipeline, stage, targeted(stage) ? i : -1));
      }
    }
    return workers;
  }

  /** A ledger for nobody: the stages keep their own accounts. */
  private Bench bench(int run) {
    var ledger = new Ledger(0, 1, false);
    return new Bench(
        run,
        List.of(),
        new PushPlan(1, 1, options.get(CmOptions.MAX_INFLIGHT), true, 1, 0),
        new PopPlan(options.get(RunOptions.POP_BATCH), 1, 0, false, 0, 1, 0),
        ledger,
        new Judge(ledger, 0, FaultPlan.NONE),
        new Counters(),
        new Latencies(),
        Bench.windowFromNow(options.get(CmOptions.RAMP_SEC), options.get(CmOptions.DURATION)),
        Filler.constant(1),
        Ticks.system());
  }

  /** One event of every property through every stage, with counters and latencies of its own. */
  private void warmUp(Pipeline pipeline) throws SetupException, InterruptedException {
    int lost = new Ingress(pipeline, 0).warmUp();
    if (lost > 0) {
      throw new SetupException(
          "%d of %d pushes of the warm-up failed: %s"
              .formatted(lost, Topology.FLOWS * properties, pipeline.bench().counters().errors()));
    }
    long deadline = System.nanoTime() + WARM_UP_MAX_NANOS;
    var drainage = drainage(pipeline);
    while (!drainage.drained()) {
      if (System.nanoTime() - deadline > 0) {
        throw new SetupException(
            "the warm-up is still %d deliveries short after %d s"
                .formatted(drainage.open(), WARM_UP_MAX_NANOS / 1_000_000_000));
      }
      if (frame.interruption().awaitUntil(System.nanoTime() + LOOK_EVERY_NANOS)) {
        throw new SetupException("interrupted while warming up");
      }
    }
  }

  /** What entered a flow has to come out of every stage of it. */
  private Drainage drainage(Pipeline pipeline) {
    return new Drainage() {
      @Override
      public long open() {
        return stages.stream()
            .mapToLong(
                stage ->
                    pipeline.produced().get(Topology.ingress(stage.flow())).count()
                        - pipeline.account(stage).unique())
            .map(open -> Math.max(0, open))
            .sum();
      }

      @Override
      public boolean drained() {
        return open() == 0;
      }

      @Override
      public void close() {
        // Nothing is held back here.
      }
    };
  }

  private int conclude(Pipeline pipeline, LoadRun run, Path logdir) {
    pipeline.logs().values().forEach(StageLog::close);
    long causes = pipeline.causes().counts().explainable();
    var table = new StageTable(causes > 0);
    for (var stage : stages) {
      table.add(
          stage.name(), pipeline.account(stage).against(pipeline.produced().get(stage.queue())));
    }
    table.lines().forEach(frame.console()::line);
    try {
      new ProducedFile(properties, options.get(CmOptions.OTA_GROUPS), causes, pipeline.produced())
          .write(logdir);
    } catch (IOException e) {
      frame.console().line("produced.meta could not be written: " + Reason.of(e));
    }
    pipeline.logs().values().stream()
        .map(StageLog::problem)
        .filter(problem -> !problem.isEmpty())
        .findFirst()
        .ifPresent(problem -> frame.console().line("the stage logs are incomplete: " + problem));
    return frame.conclude(
        pipeline.bench(),
        run,
        new RunFrame.Findings(true, table.verdict(), List.of(), table.record(), table.detail()));
  }
}
