package dev.queencell.cell.summary;

import dev.queencell.cell.output.Json;
import dev.queencell.cell.sample.Sample;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The summary of one point. A number that cannot be known is {@code null}, never 0.
 *
 * <p>Costs per message divide what the cell used in the steady window by the messages delivered in
 * it: CPU per second over messages per second, so that a sampler that missed a part of the window
 * changes the precision and not the result.
 */
final class Summary {
  static final List<String> UNITS = List.of("broker", "proxy", "state", "pg", "statepg");

  /** Under this part of the window sampled, a rate says nothing about the window. */
  private static final double COVERAGE_MIN = 0.5;

  private static final int TOP_WAITS = 8;
  private static final double MICROS_PER_SECOND = 1_000_000.0;

  /** What the summary takes over from the loader's record, as it stands there. */
  private static final List<String> FROM_RECORD =
      List.of(
          "target",
          "mode",
          "partial",
          "offeredPerSec",
          "achievedPushPerSec",
          "deliveredPerSec",
          "missing",
          "duplicate",
          "crossTenant",
          "loaderSaturated",
          "latencyMs");

  private final Point point;
  private final Window window;
  private final double deliveredPerSec;
  private final ObjectNode out = Json.object();

  private Summary(Point point) {
    this.point = point;
    this.window = steadyWindow(point);
    this.deliveredPerSec = deliveredPerSec(point);
  }

  static ObjectNode of(Point point) {
    var summary = new Summary(point);
    summary.identity();
    summary.loader();
    summary.cpu();
    summary.services();
    summary.postgres();
    summary.memory();
    summary.waits();
    summary.limit();
    summary.sampler();
    summary.neighbours();
    return summary.out;
  }

  /** Null when nothing was sampled. */
  private static Window steadyWindow(Point point) {
    if (point.usage().isEmpty()) {
      return null;
    }
    double startEpochMs = point.number("steadyStartEpochMs");
    double seconds = point.number("steadySeconds");
    if (Double.isNaN(startEpochMs) || !(seconds > 0)) {
      return Window.whole(point.usage());
    }
    return Window.at(point.usage(), (long) startEpochMs, seconds);
  }

  private static double deliveredPerSec(Point point) {
    double counted = point.number("deliveredInSteady") / point.number("steadySeconds");
    return Double.isFinite(counted) ? counted : point.number("deliveredPerSec");
  }

  private void identity() {
    out.set("runId", point.record().path("runId"));
    out.set("verdict", point.record().path("verdict"));
    out.put("capped", point.sampler().path("capped").asBoolean(false));
    out.set("capCpus", orNull(point.sampler().path("capCpus")));
    out.set("capMemoryBytes", orNull(point.sampler().path("capMemoryBytes")));
  }

  private void loader() {
    for (var key : FROM_RECORD) {
      out.set(key, orNull(point.record().path(key)));
    }
    double steadySeconds = point.number("steadySeconds");
    boolean known = Double.isFinite(steadySeconds) || window == null;
    put("steadySeconds", known ? steadySeconds : window.seconds());
    out.put("window", Double.isFinite(point.number("steadyStartEpochMs")) ? "steady" : "whole run");
    double own = point.number("loaderCores");
    double cores = Double.isFinite(own) ? own : cores("loader");
    put("loaderCores", cores);
    put("loaderCpuMicrosPerMessage", perMessage(cores * MICROS_PER_SECOND));
  }

  private void cpu() {
    put("cellCores", cores("slice"));
    put("cellCpuMicrosPerMessage", perMessage(rate(point.unit("slice"), "cpuMicros")));
    var cores = out.putObject("cores");
    UNITS.forEach(unit -> put(cores, unit, cores(unit)));
    var perMessage = out.putObject("cpuMicrosPerMessage");
    UNITS.forEach(unit -> put(perMessage, unit, perMessage(rate(point.unit(unit), "cpuMicros"))));
    put("throttledShare", throttledShare());
    put("throttledMicrosPerSec", rate(point.unit("slice"), "throttledMicros"));
    put("cpuPressureShare", rate(point.unit("slice"), "cpuPressureMicros") / MICROS_PER_SECOND);
  }

  /** What the services count themselves. */
  private void services() {
    double requests = counted("proxy", ServiceCounters.PROXY_REQUESTS);
    put("proxyRequestsPerSec", requests);
    put("proxyRequestsPerMessage", perMessage(requests));
    put("proxyCpuMicrosPerRequest", rate(point.unit("proxy"), "cpuMicros") / requests);
    var allocated = out.putObject("allocatedBytesPerMessage");
    for (var unit : List.of("broker", "proxy")) {
      put(allocated, unit, perMessage(counted(unit, ServiceCounters.ALLOCATED_BYTES)));
    }
  }

  private void postgres() {
    double commits = rate(point.database(), "commits");
    double fsyncs = rate(point.database(), "walFsyncs");
    put("commitsPerSec", commits);
    put("commitsPerMessage", perMessage(commits));
    put("walBytesPerMessage", perMessage(rate(point.database(), "walBytes")));
    put("walFsyncsPerMessage", perMessage(fsyncs));
    put("walFsyncMicrosMean", rate(point.database(), "walFsyncMicros") / fsyncs);
    put("checkpoints", amount("checkpointsTimed") + amount("checkpointsRequested"));
    put("databaseBytesMax", state(point.database(), "databaseBytes"));
    put("deadTuplesMax", state(point.database(), "deadTuples"));
  }

  /**
   * The kernel's own peak where there is one (since the process started), else the largest seen.
   */
  private void memory() {
    var peaks = out.putObject("memoryPeakBytes");
    var units = new ArrayList<>(UNITS);
    units.add("slice");
    for (var unit : units) {
      double kernel = state(point.unit(unit), "memoryPeakBytes");
      put(peaks, unit, Double.isFinite(kernel) ? kernel : state(point.unit(unit), "memoryBytes"));
    }
    var restarts = out.putObject("restarts");
    for (var unit : UNITS) {
      restarts.put(
          unit, point.unit(unit).stream().filter(line -> line.value("restarted") == 1).count());
    }
  }

  private void waits() {
    var counts = new LinkedHashMap<String, Long>();
    var clients =
        point.waits().stream()
            .filter(line -> line.label("backendType").equals("client backend"))
            .filter(line -> window != null && window.contains(line.monotonicMs()))
            .toList();
    for (var line : clients) {
      counts.merge(
          line.label("waitEventType") + '/' + line.label("waitEvent"),
          line.value("backends"),
          Long::sum);
    }
    double all = counts.values().stream().mapToLong(Long::longValue).sum();
    var top = out.putArray("topWaitEvents");
    counts.entrySet().stream()
        .sorted(Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder()))
        .limit(TOP_WAITS)
        .forEach(
            one ->
                top.addObject()
                    .put("event", one.getKey())
                    .put("backends", one.getValue())
                    .put("share", rounded(one.getValue() / all)));
  }

  private void limit() {
    boolean capped = point.sampler().path("capCpus").isNumber();
    double cores = cores("slice");
    double loaderCores = cores("loader");
    var evidence =
        new Limit.Evidence(
            point.record().path("loaderSaturated").asBoolean(false),
            capped,
            point.number("offeredPerSec"),
            deliveredPerSec,
            Refusals.perSecond(point.record()),
            throttledShare(),
            capped || Double.isNaN(loaderCores) ? cores : cores + loaderCores,
            capped
                ? point.sampler().path("capCpus").doubleValue()
                : point.sampler().path("hostCpus").asDouble(Double.NaN));
    out.put("limitedBy", Limit.of(evidence).word());
  }

  private void sampler() {
    var gaps = out.putArray("sampleGaps");
    // The report is there from the start; its end is written at the end.
    out.put("samplerDied", point.sampler().path("endedEpochMs").isNull());
    if (window == null) {
      out.put("sampleCoverage", 0.0);
      return;
    }
    var slice = point.unit("slice");
    var found = Gaps.in(window, slice, point.intervalMs());
    found
        .gaps()
        .forEach(
            gap -> gaps.addObject().put("afterMs", gap.afterMs()).put("seconds", gap.seconds()));
    put("sampleCoverage", found.coverage());
    out.put("clockStepMs", clockStepMs(slice));
    put("databaseCoverage", Gaps.in(window, point.database(), point.intervalMs()).coverage());
    out.set("samplerProblems", orNull(point.sampler().path("problems")));
  }

  /**
   * What sampling cost, and what else used the machine: before the point, and in its steady window.
   */
  private void neighbours() {
    put("samplerCores", cores("sampler"));
    put("samplerSessionCores", cores("samplerSessions"));
    // Without a loader's line nobody knows what of the rest is the loader's.
    put("othersCores", cores("machine") - cores("slice") - cores("loader") - cores("sampler"));
    var before = point.sampler().path("neighbours");
    out.set("neighbours", before.isEmpty() ? Json.mapper().nullNode() : before);
  }

  /** The largest jump of the wall clock against the monotonic one between two samples. */
  private static long clockStepMs(List<Sample> samples) {
    long largest = 0;
    for (int i = 1; i < samples.size(); i++) {
      var before = samples.get(i - 1);
      var after = samples.get(i);
      long step = after.epochMs() - before.epochMs() - (after.monotonicMs() - before.monotonicMs());
      largest = Math.abs(step) > Math.abs(largest) ? step : largest;
    }
    return largest;
  }

  /** Of the periods in which the cap was enforced, the part that hit it. */
  private double throttledShare() {
    var slice = point.unit("slice");
    double share = rate(slice, "throttledPeriods") / rate(slice, "periods");
    boolean idle = rate(slice, "periods") == 0;
    return idle ? 0 : share;
  }

  private double cores(String unit) {
    return rate(point.unit(unit), "cpuMicros") / MICROS_PER_SECOND;
  }

  private double perMessage(double perSecond) {
    return deliveredPerSec > 0 ? perSecond / deliveredPerSec : Double.NaN;
  }

  /** Per second inside the window; NaN when too little of the window was sampled. */
  private double rate(List<Sample> samples, String column) {
    if (window == null) {
      return Double.NaN;
    }
    var total = window.total(samples, column);
    double wanted = COVERAGE_MIN * (window.endMs() - window.startMs());
    return total.isKnown() && total.coveredMs() >= wanted ? total.perSecond() : Double.NaN;
  }

  private double counted(String source, String name) {
    return window == null ? Double.NaN : point.counters().perSecond(window, source, name);
  }

  private double amount(String column) {
    if (window == null) {
      return Double.NaN;
    }
    var total = window.total(point.database(), column);
    return total.isKnown() ? Math.round(total.amount()) : Double.NaN;
  }

  private double state(List<Sample> samples, String column) {
    long max = window == null ? Sample.UNKNOWN : window.max(samples, column);
    return max == Sample.UNKNOWN ? Double.NaN : max;
  }

  private void put(String key, double value) {
    put(out, key, value);
  }

  private static void put(ObjectNode node, String key, double value) {
    if (!Double.isFinite(value)) {
      node.putNull(key);
    } else if (value == Math.rint(value) && Math.abs(value) < Long.MAX_VALUE) {
      node.put(key, (long) value);
    } else {
      node.put(key, rounded(value));
    }
  }

  private static double rounded(double value) {
    return Math.round(value * 10_000) / 10_000.0;
  }

  private static JsonNode orNull(JsonNode node) {
    return node.isMissingNode() ? Json.mapper().nullNode() : node;
  }
}
