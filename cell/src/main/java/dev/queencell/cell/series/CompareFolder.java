package dev.queencell.cell.series;

import dev.queencell.cell.output.Csv;
import dev.queencell.cell.output.Json;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A comparison on disk: the points of both sides, {@code compare.json} and {@code compare.csv},
 * which are written anew from the points.
 */
record CompareFolder(PointFolder folder) {
  private static final String KIND = "comparison";
  private static final String JSON = "compare.json";

  static final List<Metric> METRICS =
      List.of(
          Metric.DELIVERED,
          Metric.P50,
          Metric.P99,
          Metric.P999,
          Metric.CELL_CPU,
          Metric.BROKER_CPU,
          Metric.PROXY_CPU,
          Metric.PG_CPU,
          Metric.LOADER_CPU,
          Metric.PROXY_REQUEST_CPU,
          Metric.PROXY_REQUESTS,
          Metric.COMMITS,
          Metric.WAL_BYTES,
          Metric.FSYNC,
          Metric.THROTTLED);

  /** A side, by the name that its points begin with. */
  record Side(String name, List<String> loaderOptions) {
    Side {
      loaderOptions = List.copyOf(loaderOptions);
    }

    ObjectNode json() {
      var out = Json.object().put("name", name);
      var options = out.putArray("loaderOptions");
      loaderOptions.forEach(options::add);
      return out;
    }

    static Side of(JsonNode json) {
      return new Side(
          json.path("name").asString(),
          json.path("loaderOptions").valueStream().map(JsonNode::asString).toList());
    }
  }

  /** What was asked for. */
  record Plan(
      Side a,
      Side b,
      List<Double> rates,
      int rounds,
      int seconds,
      int drainSeconds,
      int warmupSeconds) {
    Plan {
      rates = List.copyOf(rates);
    }

    ObjectNode json() {
      var out = Json.object();
      out.set("a", a.json());
      out.set("b", b.json());
      var list = out.putArray("rates");
      rates.forEach(list::add);
      return out.put("rounds", rounds)
          .put("seconds", seconds)
          .put("drainSeconds", drainSeconds)
          .put("warmupSeconds", warmupSeconds);
    }

    static Plan of(JsonNode json) {
      return new Plan(
          Side.of(json.path("a")),
          Side.of(json.path("b")),
          json.path("rates").valueStream().map(JsonNode::asDouble).toList(),
          json.path("rounds").asInt(),
          json.path("seconds").asInt(),
          json.path("drainSeconds").asInt(),
          json.path("warmupSeconds").asInt());
    }

    /** {@code proxy-500-1}: side, rate, round. */
    String pointName(Side side, double rate, int round) {
      return "%s-%s-%d".formatted(side.name(), Rates.plain(rate), round);
    }
  }

  /** The next point: whose, at which rate, under which run id. */
  record Next(boolean isA, double ratePerSec, String runId) {}

  void begin(Plan plan, boolean resume) throws IOException {
    folder.checkPlan(JSON, KIND, plan.json(), resume);
    write(plan);
  }

  Plan plan() throws IOException {
    return Plan.of(folder.document(JSON, KIND).path("plan"));
  }

  /** A B A B: round by round over all rates, so that what drifts hits both sides and every rate. */
  Optional<Next> next() throws IOException {
    var plan = plan();
    for (int round = 1; round <= plan.rounds(); round++) {
      for (double rate : plan.rates()) {
        for (var side : List.of(plan.a(), plan.b())) {
          var name = plan.pointName(side, rate, round);
          if (folder.point(name).isEmpty()) {
            return Optional.of(new Next(side.equals(plan.a()), rate, folder.freeRunId(name)));
          }
        }
      }
    }
    return Optional.empty();
  }

  List<Comparison> read(Plan plan) throws IOException {
    var comparisons = new ArrayList<Comparison>();
    for (double rate : plan.rates()) {
      var rounds = new ArrayList<Comparison.Round>();
      for (int round = 1; round <= plan.rounds(); round++) {
        var a = folder.point(plan.pointName(plan.a(), rate, round));
        var b = folder.point(plan.pointName(plan.b(), rate, round));
        if (a.isPresent() && b.isPresent()) {
          rounds.add(new Comparison.Round(a.get(), b.get()));
        }
      }
      comparisons.add(Comparison.of(rate, rounds));
    }
    return comparisons;
  }

  /** Writes both files anew from the points that are there. */
  List<Comparison> write(Plan plan) throws IOException {
    var comparisons = read(plan);
    var out = Json.object().put("kind", KIND);
    out.set("plan", plan.json());
    var results = out.putArray("results");
    var csv =
        new StringBuilder(
            Csv.line(List.of("ratePerSec", "metric", "side", "median", "min", "max", "rounds")));
    for (var one : comparisons) {
      var result = results.addObject();
      Numbers.put(result, "ratePerSec", one.ratePerSec());
      result.put("rounds", one.rounds().size()).put("discardedRounds", one.discarded());
      var points = result.putArray("points");
      one.rounds().forEach(r -> points.addObject().put("a", r.a().runId()).put("b", r.b().runId()));
      var metrics = result.putObject("metrics");
      for (var metric : METRICS) {
        var node = metrics.putObject(metric.key());
        put(node, csv, one, metric.key(), "a", one.a(metric));
        put(node, csv, one, metric.key(), "b", one.b(metric));
        put(node, csv, one, metric.key(), "difference", one.difference(metric));
      }
      put(
          metrics.putObject("cellCpuMicrosPerProxyRequest"),
          csv,
          one,
          "cellCpuMicrosPerProxyRequest",
          "difference",
          one.cellCpuPerProxyRequest());
    }
    folder.write(JSON, Json.text(out) + "\n");
    folder.write("compare.csv", csv.toString());
    return comparisons;
  }

  private static void put(
      ObjectNode node,
      StringBuilder csv,
      Comparison comparison,
      String metric,
      String side,
      Spread spread) {
    node.set(side, spread.json());
    var line = new ArrayList<Object>();
    line.add(Rates.plain(comparison.ratePerSec()));
    line.add(metric);
    line.add(side);
    line.add(Numbers.exact(spread.median()));
    line.add(Numbers.exact(spread.min()));
    line.add(Numbers.exact(spread.max()));
    line.add(spread.rounds());
    csv.append(Csv.line(line));
  }
}
