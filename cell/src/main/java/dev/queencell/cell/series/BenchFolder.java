package dev.queencell.cell.series;

import dev.queencell.cell.output.Csv;
import dev.queencell.cell.output.Json;
import dev.queencell.cell.output.TextTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A bench on disk: the points of several shapes over several rounds, {@code bench.json} and {@code
 * bench.csv}. Of each shape only verified points count, and every number is the median over them.
 */
record BenchFolder(PointFolder folder) {
  private static final String KIND = "bench";
  private static final String JSON = "bench.json";

  static final List<Metric> METRICS =
      List.of(
          Metric.OFFERED,
          Metric.DELIVERED,
          Metric.CELL_CPU,
          Metric.BROKER_CPU,
          Metric.PG_CPU,
          Metric.PROXY_CPU,
          Metric.LOADER_CPU,
          Metric.PROXY_REQUEST_CPU,
          Metric.COMMITS,
          Metric.WAL_BYTES,
          Metric.P50,
          Metric.P99,
          Metric.P999,
          Metric.CELL_CORES,
          Metric.THROTTLED,
          Metric.BROKER_MEMORY,
          Metric.PROXY_MEMORY,
          Metric.PG_MEMORY,
          Metric.CELL_MEMORY,
          Metric.BROKER_ALLOCATED,
          Metric.PROXY_ALLOCATED,
          Metric.FSYNC);

  /**
   * What was asked for.
   *
   * @param cases {@code s1:500}, a shape and a rate
   */
  record Plan(List<String> cases, int rounds, int seconds) {
    Plan {
      cases = List.copyOf(cases);
    }

    ObjectNode json() {
      var out = Json.object().put("rounds", rounds).put("seconds", seconds);
      var names = out.putArray("cases");
      cases.forEach(names::add);
      return out;
    }

    static Plan of(JsonNode json) {
      return new Plan(
          json.path("cases").valueStream().map(JsonNode::asString).toList(),
          json.path("rounds").asInt(),
          json.path("seconds").asInt());
    }

    /** {@code s1-500-1}: shape, rate, round. */
    static String pointName(String name, int round) {
      return name.replace(':', '-') + "-" + round;
    }
  }

  /** The next point: which case, under which run id. */
  record Next(String name, String runId) {}

  void begin(Plan plan, boolean resume) throws IOException {
    folder.checkPlan(JSON, KIND, plan.json(), resume);
    write(plan);
  }

  Plan plan() throws IOException {
    return Plan.of(folder.document(JSON, KIND).path("plan"));
  }

  /** Round by round, so that what drifts hits every shape. */
  Optional<Next> next() throws IOException {
    var plan = plan();
    for (int round = 1; round <= plan.rounds(); round++) {
      for (var one : plan.cases()) {
        var name = Plan.pointName(one, round);
        if (folder.point(name).isEmpty()) {
          return Optional.of(new Next(one, folder.freeRunId(name)));
        }
      }
    }
    return Optional.empty();
  }

  /** The points that count, per case. */
  private Map<String, List<MeasuredPoint>> verified(Plan plan) throws IOException {
    var cases = new LinkedHashMap<String, List<MeasuredPoint>>();
    for (var one : plan.cases()) {
      cases.put(one, measured(plan, one).filter(MeasuredPoint::isVerified).toList());
    }
    return cases;
  }

  private Stream<MeasuredPoint> measured(Plan plan, String name) throws IOException {
    var points = new ArrayList<MeasuredPoint>();
    for (int round = 1; round <= plan.rounds(); round++) {
      folder.point(Plan.pointName(name, round)).ifPresent(points::add);
    }
    return points.stream();
  }

  /** A line for each point that was measured and does not count; empty when all do. */
  String discarded(Plan plan) throws IOException {
    var text = new StringBuilder();
    for (var one : plan.cases()) {
      measured(plan, one)
          .filter(point -> !point.isVerified())
          .forEach(
              point ->
                  text.append(
                      "%s does not count: its verdict is %s%n"
                          .formatted(point.runId(), point.text("verdict"))));
    }
    return text.toString();
  }

  /** Writes both files anew from the points that are there. */
  Map<String, List<MeasuredPoint>> write(Plan plan) throws IOException {
    var verified = verified(plan);
    var out = Json.object().put("kind", KIND);
    out.set("plan", plan.json());
    var cases = out.putArray("cases");
    var csv =
        new StringBuilder(Csv.line(List.of("case", "metric", "median", "min", "max", "rounds")));
    verified.forEach(
        (name, points) -> {
          var node = cases.addObject().put("case", name);
          var runIds = node.putArray("runIds");
          points.forEach(point -> runIds.add(point.runId()));
          var metrics = node.putObject("metrics");
          for (var metric : METRICS) {
            var spread = spread(points, metric);
            metrics.set(metric.key(), spread.json());
            var line = new ArrayList<Object>(List.of(name, metric.key()));
            line.add(Numbers.exact(spread.median()));
            line.add(Numbers.exact(spread.min()));
            line.add(Numbers.exact(spread.max()));
            line.add(spread.rounds());
            csv.append(Csv.line(line));
          }
        });
    folder.write(JSON, Json.text(out) + "\n");
    folder.write("bench.csv", csv.toString());
    return verified;
  }

  /** A column per case, a line per number. */
  static String table(Plan plan, Map<String, List<MeasuredPoint>> verified) {
    var table =
        new TextTable(
            Stream.concat(Stream.of(""), verified.keySet().stream()).toArray(String[]::new));
    table.row(
        Stream.concat(
                Stream.of("rounds that count"),
                verified.values().stream()
                    .map(points -> "%d of %d".formatted(points.size(), plan.rounds())))
            .toArray());
    for (var metric : METRICS) {
      table.row(
          Stream.concat(
                  Stream.of(metric.title()),
                  verified.values().stream().map(points -> spread(points, metric).text(metric)))
              .toArray());
    }
    return table.render();
  }

  private static Spread spread(List<MeasuredPoint> points, Metric metric) {
    return Spread.of(points.stream().mapToDouble(metric::of));
  }
}
