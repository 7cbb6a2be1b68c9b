package dev.queencell.cell.series;

import dev.queencell.cell.output.Json;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a ladder was asked to be.
 *
 * @param target {@code proxy} or {@code broker}
 * @param shape name of the load's shape
 * @param loaderOptions as given to the loader, without rate and durations
 * @param rates ascending
 * @param refine how many rates are tried between the highest that passed and the next that did not
 * @param p99LimitMs the latency that a point may have at p99
 * @param achievedShareMin the part of the offered messages that a point must reach, 0 to 1
 */
record LadderPlan(
    String target,
    String shape,
    List<String> loaderOptions,
    List<Double> rates,
    int refine,
    double p99LimitMs,
    double achievedShareMin,
    int seconds,
    int drainSeconds,
    int warmupSeconds) {

  static final double ACHIEVED_SHARE_MIN = 0.97;

  LadderPlan {
    loaderOptions = List.copyOf(loaderOptions);
    rates = List.copyOf(rates);
  }

  ObjectNode json() {
    var out = Json.object();
    out.put("target", target).put("shape", shape);
    var options = out.putArray("loaderOptions");
    loaderOptions.forEach(options::add);
    var list = out.putArray("rates");
    rates.forEach(list::add);
    return out.put("refine", refine)
        .put("p99LimitMs", p99LimitMs)
        .put("achievedShareMin", achievedShareMin)
        .put("seconds", seconds)
        .put("drainSeconds", drainSeconds)
        .put("warmupSeconds", warmupSeconds);
  }

  static LadderPlan of(JsonNode json) {
    return new LadderPlan(
        json.path("target").asString(""),
        json.path("shape").asString(""),
        json.path("loaderOptions").valueStream().map(JsonNode::asString).toList(),
        json.path("rates").valueStream().map(JsonNode::asDouble).toList(),
        json.path("refine").asInt(0),
        json.path("p99LimitMs").asDouble(0),
        json.path("achievedShareMin").asDouble(ACHIEVED_SHARE_MIN),
        json.path("seconds").asInt(0),
        json.path("drainSeconds").asInt(0),
        json.path("warmupSeconds").asInt(0));
  }
}
