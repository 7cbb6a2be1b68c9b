package dev.queencell.loader.cloud;

import dev.queencell.loader.account.Backlog;
import dev.queencell.loader.account.Ledger;
import dev.queencell.loader.account.TenantTotals;
import dev.queencell.loader.account.Verdict;
import dev.queencell.loader.fault.Fault;
import dev.queencell.loader.fault.Judge;
import dev.queencell.loader.measure.Counters;
import dev.queencell.loader.measure.Health;
import dev.queencell.loader.measure.IntervalFiles;
import dev.queencell.loader.measure.Latencies;
import dev.queencell.loader.measure.Window;
import dev.queencell.loader.options.CellHome;
import dev.queencell.loader.options.OptionSet;
import dev.queencell.loader.options.Options;
import dev.queencell.loader.payload.Filler;
import dev.queencell.loader.record.Builds;
import dev.queencell.loader.record.HostShape;
import dev.queencell.loader.record.RunRecord;
import dev.queencell.service.Json;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import tools.jackson.databind.node.ObjectNode;

/** The mode {@code cloud}, from its options to its record and exit code. */
public final class CloudMode {
  /** The mode's options. */
  public static final OptionSet OPTIONS = CloudOptions.SET;

  private static final int EXIT_SETUP_FAILED = 1;
  private static final int EXIT_VERDICT_FAILED = 3;
  private static final int EXIT_INTERRUPTED = 130;

  /** Lets consumers park before the first push is due. */
  private static final long HEAD_START_NANOS = 100_000_000;

  private static final int TENANT_LINES_MAX = 20;

  private final Options options;
  private final CellHome home;
  private final Console console;
  private final Interruption interruption;
  private final Setup setup;

  private CloudMode(Options options, CellHome home, Console console, Interruption interruption) {
    this.options = options;
    this.home = home;
    this.console = console;
    this.interruption = interruption;
    setup = new Setup(options, home);
  }

  /**
   * Runs the mode.
   *
   * @param terminal whether the output is one
   * @return the exit code
   */
  public static int run(
      Options options,
      java.util.Map<String, String> environment,
      PrintStream out,
      boolean terminal,
      Interruption interruption)
      throws InterruptedException {
    var mode =
        new CloudMode(
            options, CellHome.find(options, environment), new Console(out, terminal), interruption);
    try {
      return mode.run();
    } catch (SetupException | IOException e) {
      out.println("set-up failed: " + e.getMessage());
      return EXIT_SETUP_FAILED;
    }
  }

  private int run() throws SetupException, IOException, InterruptedException {
    var tenants = setup.tenants();
    setup.check(tenants.size());
    var out = Path.of(options.get(CloudOptions.OUT));
    Files.createDirectories(out);
    var runId =
        options.isGiven(CloudOptions.RUN_ID)
            ? options.get(CloudOptions.RUN_ID)
            : "cloud-%s-%d"
                .formatted(options.get(CloudOptions.TARGET), System.currentTimeMillis() / 1000);
    var configLine =
        "config "
            + options.line()
            + (options.isGiven(CloudOptions.URL) ? "" : " url=" + setup.url())
            + (options.isGiven(CloudOptions.RUN_ID) ? "" : " run-id=" + runId);
    console.line(configLine);
    var record =
        new RunRecord(
                new RunRecord.Heading(
                    runId,
                    "cloud",
                    options.get(CloudOptions.TARGET),
                    options.get(CloudOptions.NOTE),
                    configLine,
                    HostShape.read(out),
                    cell()))
            .builds(Builds.read(setup.brokerUrl(), setup.proxyUrl()));
    try (var transport = setup.transport(tenants.size())) {
      var members = setup.members(tenants, transport);
      setup.configure(members);
      long start = System.nanoTime() + HEAD_START_NANOS;
      long startEpochMs = System.currentTimeMillis() + HEAD_START_NANOS / 1_000_000;
      var bench = bench(members, start, startEpochMs);
      try (var files =
          new IntervalFiles(out, runId, bench.counters(), bench.latencies(), start, startEpochMs)) {
        var run = new CloudRun(bench, console, files, interruption);
        run.run();
        return conclude(bench, run, record, out.resolve(runId + ".json"));
      }
    }
  }

  private Bench bench(List<Member> members, long start, long startEpochMs) {
    int partitions = options.get(CloudOptions.PARTITIONS);
    var ledger = new Ledger(members.size(), partitions, options.get(CloudOptions.VERIFY));
    int payload = options.get(CloudOptions.PAYLOAD);
    return new Bench(
        options,
        ThreadLocalRandom.current().nextInt(1, Integer.MAX_VALUE),
        members,
        Producers.partitionNames(partitions),
        ledger,
        new Judge(ledger, members.size(), options.get(CloudOptions.FAULT)),
        new Counters(),
        new Latencies(),
        new Window(
            start,
            startEpochMs,
            options.get(CloudOptions.RAMP_SEC),
            options.get(CloudOptions.DURATION)),
        options.get(CloudOptions.PAYLOAD_FILL).equals("constant")
            ? Filler.constant(payload)
            : Filler.text(payload));
  }

  private ObjectNode cell() {
    var cell = Json.object();
    var capped = home.get("QUEENCELL_CAPPED", null);
    cell.put("home", home.get("QUEENCELL_HOME", null));
    cell.put("capped", capped == null ? null : Boolean.valueOf(capped));
    cell.put("cap", home.get("QUEENCELL_CAP", null));
    cell.put("cpus", home.get("QUEENCELL_CELL_CPUS", null));
    cell.put("memGib", home.get("QUEENCELL_CELL_MEM", null));
    return cell;
  }

  private int conclude(Bench bench, CloudRun run, RunRecord record, Path file) throws IOException {
    var totals = totals(bench);
    var verdict = Verdict.over(totals);
    boolean verified = options.get(CloudOptions.VERIFY);
    boolean failed = verified && verdict.kind() == Verdict.Kind.FAIL;
    var text = verified ? verdict.kind().text() : "UNVERIFIED";
    var health =
        Health.of(run.usageAtStart(), run.usageAtEnd(), bench.latencies(), run.pacer().late());
    boolean partial = interruption.isRaised();
    record
        .verdict(text, verified, partial, verdict, totals)
        .counts(bench.counters(), bench.window())
        .latencies(bench.latencies())
        .health(health)
        .faults(faults(bench.judge()));
    say(record.json(), totals, verdict, health, text);
    console.line("record: " + file);
    record.output(console.lines()).write(file);
    if (partial) {
      return EXIT_INTERRUPTED;
    }
    return failed && options.get(CloudOptions.FAIL_ON_VERIFY) ? EXIT_VERDICT_FAILED : 0;
  }

  private List<TenantTotals> totals(Bench bench) {
    var before = bench.ledger().totals(_ -> Backlog.UNKNOWN);
    var shorted =
        bench.members().stream().filter(m -> before.get(m.index()).missing() > 0).toList();
    var backlogs = Backlogs.ask(shorted, options.get(CloudOptions.GROUP), bench.partitionNames());
    var nothing = new Backlog(true, 0, java.util.Map.of());
    return bench.ledger().totals(i -> backlogs.getOrDefault(i, nothing));
  }

  private static ObjectNode faults(Judge judge) {
    var node = Json.object();
    for (var fault : Fault.values()) {
      node.putObject(fault.word())
          .put("asked", judge.plan().count(fault))
          .put("injected", judge.injected(fault));
    }
    return node;
  }

  private void say(
      ObjectNode json, List<TenantTotals> totals, Verdict verdict, Health health, String text) {
    for (var t : totals.subList(0, Math.min(totals.size(), TENANT_LINES_MAX))) {
      console.line(
          "tenant %d accepted %d delivered %d missing %d backlog %d duplicate %d extra %d cross %d order %d refused %d failed %d shed %d %s"
              .formatted(
                  t.tenant(),
                  t.accepted(),
                  t.delivered(),
                  t.missing(),
                  t.backlog(),
                  t.duplicate(),
                  t.extra(),
                  t.cross(),
                  t.outOfOrder(),
                  t.refused(),
                  t.failed(),
                  t.shed(),
                  Verdict.of(t).kind().text()));
    }
    if (totals.size() > TENANT_LINES_MAX) {
      console.line("… and %d more tenants".formatted(totals.size() - TENANT_LINES_MAX));
    }
    console.line("errors " + json.get("errors"));
    console.line(
        String.format(
            Locale.ROOT,
            "offered %.1f/s achieved %.1f/s delivered %.1f/s over %.1f s; end to end ms %s; loader %.2f cores",
            json.path("offeredPerSec").asDouble(0),
            json.path("achievedPushPerSec").asDouble(0),
            json.path("deliveredPerSec").asDouble(0),
            json.path("steadySeconds").asDouble(0),
            json.get("latencyMs"),
            health.cores()));
    if (health.saturated()) {
      console.line("THE LOADER WAS SATURATED, so it measured itself: " + health.saturation());
    }
    verdict.reasons().forEach(r -> console.line("  " + r));
    verdict.offenders().forEach(o -> console.line("  " + o));
    console.line("VERDICT: " + text + (interruption.isRaised() ? " (partial: interrupted)" : ""));
  }
}
