package dev.queencell.cell.series;

import dev.queencell.cell.output.Csv;
import dev.queencell.cell.output.Json;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/**
 * A ladder on disk: the points of its steps, {@code ladder.json} with the plan, the steps and the
 * ceiling, and {@code ladder.csv} with a line per step. The points are what counts; the two files
 * are written anew from them whenever a step is added.
 */
record LadderFolder(PointFolder folder) {
  private static final String KIND = "ladder";
  private static final String JSON = "ladder.json";

  /** What of a point stands in the ladder's files, after rate and run. */
  private static final List<Metric> METRICS =
      List.of(
          Metric.OFFERED,
          Metric.PUSHED,
          Metric.DELIVERED,
          Metric.P50,
          Metric.P99,
          Metric.P999,
          Metric.CELL_CORES,
          Metric.CELL_CPU,
          Metric.THROTTLED,
          Metric.COMMITS,
          Metric.WAL_BYTES,
          Metric.LOADER_CORES);

  /** Starts a ladder here, or goes on with the one that is here when the plan is the same. */
  void begin(LadderPlan plan, boolean resume) throws IOException {
    folder.checkPlan(JSON, KIND, plan.json(), resume);
    var rungs = folder.has(JSON) ? read().rungs() : rungs(plan, List.of());
    write(new Ladder(plan, rungs));
  }

  /**
   * The ladder with all steps that were measured.
   *
   * @throws IOException when there is none
   */
  Ladder read() throws IOException {
    var document = folder.document(JSON, KIND);
    var plan = LadderPlan.of(document.path("plan"));
    var known =
        document.path("rungs").valueStream().map(rung -> rung.path("ratePerSec").asDouble());
    return new Ladder(plan, rungs(plan, known.toList()));
  }

  /** Takes the step's point in, if it left one. */
  Optional<Rung> add(double rate) throws IOException {
    var before = read();
    var rates = new ArrayList<>(before.rungs().stream().map(Rung::ratePerSec).toList());
    rates.add(rate);
    var after = new Ladder(before.plan(), rungs(before.plan(), rates));
    write(after);
    return after.rungs().stream().filter(rung -> rung.ratePerSec() == rate).findFirst();
  }

  /** A run id for the step's point that no file here has. */
  String freeRunId(double rate) throws IOException {
    return folder.freeRunId(name(rate));
  }

  private static String name(double rate) {
    return "rate-" + Rates.plain(rate);
  }

  private List<Rung> rungs(LadderPlan plan, List<Double> more) throws IOException {
    var rungs = new ArrayList<Rung>();
    var rates = new ArrayList<>(plan.rates());
    rates.addAll(more);
    for (double rate : rates.stream().distinct().toList()) {
      var point = folder.point(name(rate));
      if (point.isPresent()) {
        rungs.add(new Rung(rate, point.get(), plan));
      }
    }
    return rungs;
  }

  private void write(Ladder ladder) throws IOException {
    var out = Json.object().put("kind", KIND);
    out.set("plan", ladder.plan().json());
    out.put("finished", ladder.next().isEmpty());
    var ceiling = out.putObject("ceiling");
    Numbers.put(ceiling, "ratePerSec", ladder.ceiling().map(Rung::ratePerSec).orElse(Double.NaN));
    ceiling.put("runId", ladder.ceiling().map(rung -> rung.point().runId()).orElse(null));
    ceiling.put("limitedBy", ladder.limitedBy().isEmpty() ? null : ladder.limitedBy());
    ceiling.put("limitRunId", ladder.limit().map(rung -> rung.point().runId()).orElse(null));
    ceiling.put("text", LadderText.ceiling(ladder));
    var rungs = out.putArray("rungs");
    ladder.rungs().forEach(rung -> rungs.add(row(rung)));
    folder.write(JSON, Json.text(out) + "\n");
    folder.write("ladder.csv", csv(ladder));
  }

  private static ObjectNode row(Rung rung) {
    var row = Json.object();
    Numbers.put(row, "ratePerSec", rung.ratePerSec());
    row.put("runId", rung.point().runId());
    row.put("passes", rung.passes());
    row.put("failure", rung.passes() ? null : rung.failure());
    row.put("verdict", rung.point().text("verdict"));
    Numbers.put(row, "achievedShare", rung.achievedShare());
    METRICS.forEach(metric -> Numbers.put(row, metric.key(), metric.of(rung.point())));
    row.put("loaderSaturated", rung.point().summary().path("loaderSaturated").asBoolean(false));
    row.put("limitedBy", rung.point().text("limitedBy"));
    return row;
  }

  private static String csv(Ladder ladder) {
    var text = new StringBuilder();
    var header =
        new ArrayList<String>(
            List.of("ratePerSec", "runId", "passes", "failure", "verdict", "achievedShare"));
    METRICS.forEach(metric -> header.add(metric.key()));
    header.addAll(List.of("loaderSaturated", "limitedBy"));
    text.append(Csv.line(header));
    for (var rung : ladder.rungs()) {
      var row = row(rung);
      text.append(
          Csv.line(
              header.stream()
                  .map(key -> row.path(key).isNull() ? null : row.path(key).asString())
                  .toList()));
    }
    return text.toString();
  }
}
