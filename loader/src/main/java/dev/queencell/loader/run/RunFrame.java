package dev.queencell.loader.run;

import dev.queencell.loader.account.Backlog;
import dev.queencell.loader.account.TenantTotals;
import dev.queencell.loader.account.Verdict;
import dev.queencell.loader.fault.Fault;
import dev.queencell.loader.fault.Judge;
import dev.queencell.loader.measure.Health;
import dev.queencell.loader.measure.IntervalFiles;
import dev.queencell.loader.measure.Reason;
import dev.queencell.loader.options.CellHome;
import dev.queencell.loader.options.Options;
import dev.queencell.loader.record.Builds;
import dev.queencell.loader.record.HostShape;
import dev.queencell.loader.record.RunRecord;
import dev.queencell.service.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.node.ObjectNode;

/**
 * What is the same for every mode that measures: the configuration line first, the record's
 * heading, then, after the mode's own part, the judgement, the final lines, the record and the exit
 * code. The result is printed before the record is written, and a record that can't be written
 * costs neither the result nor the exit code.
 */
public final class RunFrame {
  private static final int EXIT_SETUP_FAILED = 1;
  private static final int EXIT_VERDICT_FAILED = 3;
  private static final int EXIT_INTERRUPTED = 130;

  private final Invocation invocation;
  private final String mode;
  private final String target;
  private final CellHome home;
  private final Console console;
  private final Path out;
  private final String runId;
  private RunRecord record;

  /** The part of a mode that may find that it can't start. */
  public interface Body {
    int run(RunFrame frame) throws SetupException, IOException, InterruptedException;
  }

  /**
   * What a run found out about its messages.
   *
   * @param verified false gives no verdict
   * @param stages the pipeline's stages; null where there is none
   * @param detail follows the verdict in parentheses; empty for nothing
   */
  public record Findings(
      boolean verified,
      Verdict verdict,
      List<TenantTotals> totals,
      RunRecord.Stages stages,
      String detail) {
    public static Findings of(boolean verified, List<TenantTotals> totals) {
      return new Findings(verified, Verdict.over(totals), totals, null, "");
    }
  }

  private RunFrame(Invocation invocation, String mode, String target) {
    this.invocation = invocation;
    this.mode = mode;
    this.target = target;
    home = CellHome.find(invocation.options(), invocation.environment());
    console = new Console(invocation.out(), invocation.terminal());
    out = Path.of(options().get(RunOptions.OUT));
    runId =
        options().isGiven(RunOptions.RUN_ID)
            ? options().get(RunOptions.RUN_ID)
            : (mode.equals("cloud") ? mode + "-" + target : mode)
                + "-"
                + System.currentTimeMillis() / 1000;
  }

  /** Runs a mode's body; a set-up that fails is said in words and ends with 1. */
  public static int run(Invocation invocation, String mode, String target, Body body)
      throws InterruptedException {
    var frame = new RunFrame(invocation, mode, target);
    try {
      return body.run(frame);
    } catch (SetupException e) {
      invocation.out().println("set-up failed: " + e.getMessage());
    } catch (IOException e) {
      invocation.out().println("set-up failed: " + Reason.of(e));
    }
    return EXIT_SETUP_FAILED;
  }

  public Options options() {
    return invocation.options();
  }

  public CellHome home() {
    return home;
  }

  public Console console() {
    return console;
  }

  public Path out() {
    return out;
  }

  public String runId() {
    return runId;
  }

  public Interruption interruption() {
    return invocation.interruption();
  }

  /**
   * Says the configuration and reads what the record says of the machine and the builds.
   *
   * @param url what the load goes to
   * @param brokerUrl where the broker answers about itself; null when that isn't known
   * @param proxyUrl the same of the proxy; null when it isn't in the path
   */
  public void begin(String url, String brokerUrl, String proxyUrl) throws IOException {
    Files.createDirectories(out);
    var line =
        "config "
            + options().line()
            + (options().line().contains(" url=") ? "" : " url=" + url)
            + (options().isGiven(RunOptions.RUN_ID) ? "" : " run-id=" + runId);
    console.line(line);
    record =
        new RunRecord(
                new RunRecord.Heading(
                    runId,
                    mode,
                    target,
                    options().get(RunOptions.NOTE),
                    line,
                    HostShape.read(out),
                    cell()))
            .builds(Builds.read(brokerUrl, proxyUrl));
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

  /** The files that the report intervals go to. */
  public IntervalFiles files(Bench bench) throws IOException {
    var window = bench.window();
    return new IntervalFiles(
        out,
        runId,
        bench.counters(),
        bench.latencies(),
        window.runStartNanos(),
        window.runStartEpochMs());
  }

  /** Every tenant's account at the cutoff; the broker is asked about those that are short. */
  public static List<TenantTotals> totals(Bench bench) {
    var before = bench.ledger().totals(_ -> Backlog.UNKNOWN);
    var shorted =
        bench.members().stream().filter(m -> before.get(m.index()).missing() > 0).toList();
    var backlogs = Backlogs.ask(shorted);
    var nothing = new Backlog(true, 0, Map.of());
    return bench.ledger().totals(i -> backlogs.getOrDefault(i, nothing));
  }

  /** Judges, says the result, writes the record; returns the exit code. */
  public int conclude(Bench bench, LoadRun run, Findings findings) {
    var verdict = findings.verdict();
    boolean verified = findings.verified();
    var text = verified ? verdict.kind().text() : "UNVERIFIED";
    var health = Health.of(run.usageAtStart(), run.usageAtEnd(), bench.latencies(), run.late());
    boolean partial = interruption().isRaised();
    record
        .verdict(text, verified, partial, verdict, findings.totals())
        .stages(findings.stages())
        .counts(bench.counters(), bench.window())
        .latencies(bench.latencies())
        .health(health)
        .faults(faults(bench.judge()));
    new FinalLines(console, record.json()).say(findings, health, text, partial);
    write();
    if (partial) {
      return EXIT_INTERRUPTED;
    }
    boolean failed = verified && verdict.kind() == Verdict.Kind.FAIL;
    boolean tolerated =
        options().declares(RunOptions.FAIL_ON_VERIFY) && !options().get(RunOptions.FAIL_ON_VERIFY);
    return failed && !tolerated ? EXIT_VERDICT_FAILED : 0;
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

  private void write() {
    var file = out.resolve(runId + ".json");
    record.output(console.lines());
    try {
      record.write(file);
      console.line("record: " + file);
    } catch (IOException e) {
      console.line("the record could not be written: " + Reason.of(e) + "; it follows");
      console.line(record.json().toString());
    }
  }
}
