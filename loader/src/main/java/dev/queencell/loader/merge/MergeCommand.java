package dev.queencell.loader.merge;

import dev.queencell.loader.measure.Reason;
import dev.queencell.loader.options.BadOptionException;
import dev.queencell.loader.options.Option;
import dev.queencell.loader.options.OptionSet;
import dev.queencell.loader.record.RecordMerge;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code loader merge A.json B.json …}: one line per run, one for all, and a merged record. */
public final class MergeCommand {
  private static final int EXIT_FAILED = 1;
  private static final int EXIT_VERDICT_FAILED = 3;
  private static final double ENOUGH_OVERLAP = 0.9;
  private static final Option<String> OUT =
      Option.text("out", "merged.json", ".+", "a file", "where the merged record goes");

  /** The command's options. */
  public static final OptionSet OPTIONS =
      OptionSet.ofCommand(
          "merge",
          "Joins the records of loaders that ran side by side: a line for each run, one for all,"
              + " and a merged record.",
          List.of(OUT),
          "RECORD.json");

  private MergeCommand() {}

  /** Runs the command with what follows its name; returns the exit code. */
  public static int run(PrintStream out, String... arguments) {
    var options = OPTIONS.parse(arguments);
    if (options.helpAsked()) {
      out.print(OPTIONS.help());
      return 0;
    }
    var files = options.words().stream().map(Path::of).toList();
    if (files.isEmpty()) {
      throw new BadOptionException("merge takes the records to join; -h explains it");
    }
    var target = Path.of(options.get(OUT));
    try {
      return merge(out, files, target);
    } catch (IOException e) {
      out.println("merging failed: " + Reason.of(e));
    } catch (IllegalArgumentException e) {
      out.println("merging failed: " + e.getMessage());
    }
    return EXIT_FAILED;
  }

  private static int merge(PrintStream out, List<Path> files, Path target) throws IOException {
    var records = new ArrayList<ObjectNode>();
    for (var file : files) {
      records.add(RecordMerge.read(file));
    }
    var merged = RecordMerge.merge(records);
    out.printf(
        Locale.ROOT,
        "%-32s %12s %12s %12s %10s %10s  %s%n",
        "run",
        "offered/s",
        "achieved/s",
        "delivered/s",
        "p50 ms",
        "p99 ms",
        "verdict");
    records.forEach(r -> line(out, r.path("runId").asString(), r));
    line(out, "all", merged);
    double longest =
        records.stream().mapToDouble(r -> r.path("steadySeconds").asDouble(0)).max().orElse(0);
    double together = merged.path("steadySeconds").asDouble(0);
    if (together < ENOUGH_OVERLAP * longest) {
      out.printf(
          Locale.ROOT,
          "their steady windows have %.1f s of %.1f s in common: the summed rates never ran"
              + " together all that time%n",
          together,
          longest);
    }
    if (merged.path("loaderSaturated").asBoolean(false)) {
      out.println("A LOADER WAS SATURATED, so it measured itself");
    }
    RecordMerge.write(merged, target);
    out.println("record: " + target);
    var verdict = merged.path("verdict").asString();
    out.println("VERDICT: " + verdict);
    return verdict.equals("FAIL") ? EXIT_VERDICT_FAILED : 0;
  }

  private static void line(PrintStream out, String name, JsonNode record) {
    out.printf(
        Locale.ROOT,
        "%-32s %12.1f %12.1f %12.1f %10.2f %10.2f  %s%n",
        name,
        record.path("offeredPerSec").asDouble(0),
        record.path("achievedPushPerSec").asDouble(0),
        record.path("deliveredPerSec").asDouble(0),
        record.at("/latencyMs/p50").asDouble(0),
        record.at("/latencyMs/p99").asDouble(0),
        record.path("verdict").asString());
  }
}
