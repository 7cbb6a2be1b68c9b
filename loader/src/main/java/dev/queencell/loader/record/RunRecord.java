package dev.queencell.loader.record;

import dev.queencell.loader.account.TenantTotals;
import dev.queencell.loader.account.Verdict;
import dev.queencell.loader.measure.Counter;
import dev.queencell.loader.measure.Counters;
import dev.queencell.loader.measure.Health;
import dev.queencell.loader.measure.Latencies;
import dev.queencell.loader.measure.Series;
import dev.queencell.loader.measure.Window;
import dev.queencell.service.Json;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.function.ToLongFunction;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The record of one run, {@code RUN-ID.json}. Keys that have no value are null, never absent;
 * {@code run-record.schema.json} beside this class describes it. Built by one thread, written once.
 */
public final class RunRecord {
  private final ObjectNode root = Json.object();

  /** What a run was: the part of the record that is known before it starts. */
  public record Heading(
      String runId,
      String mode,
      String target,
      String note,
      String configurationLine,
      ObjectNode host,
      ObjectNode cell) {}

  /**
   * A pipeline's stages, whose sums take the place of the tenants'.
   *
   * @param rows an object per stage
   */
  public record Stages(
      ArrayNode rows, long gaps, long duplicates, long violations, long inFlight) {}

  /** Starts a record with what is known before the run. */
  public RunRecord(Heading heading) {
    root.put("runId", heading.runId());
    root.put("mode", heading.mode());
    root.put("target", heading.target());
    root.put("note", heading.note());
    root.put("config", heading.configurationLine());
    root.set("host", heading.host());
    root.set("cell", heading.cell());
  }

  /** Adds the identities of the builds in the path. */
  public RunRecord builds(ObjectNode builds) {
    root.set("builds", builds);
    return this;
  }

  /**
   * Adds the judgement and every tenant's account.
   *
   * @param verdict its text
   */
  public RunRecord verdict(
      String text, boolean verified, boolean partial, Verdict verdict, List<TenantTotals> tenants) {
    root.put("verdict", text);
    root.put("verified", verified);
    root.put("partial", partial);
    root.set("reasons", Json.mapper().valueToTree(verdict.reasons()));
    root.set("offenders", Json.mapper().valueToTree(verdict.offenders()));
    root.put("missing", sum(tenants, TenantTotals::missing));
    root.put("duplicate", sum(tenants, TenantTotals::duplicate));
    root.put("extra", sum(tenants, TenantTotals::extra));
    root.put("crossTenant", sum(tenants, TenantTotals::cross));
    root.put("orderViolations", sum(tenants, TenantTotals::outOfOrder));
    root.put("corrupt", sum(tenants, TenantTotals::corrupt));
    root.put("foreign", sum(tenants, TenantTotals::foreign));
    root.put("inFlight", sum(tenants, TenantTotals::inFlight));
    boolean known = tenants.stream().allMatch(TenantTotals::backlogKnown);
    root.put("backlog", known ? Long.valueOf(sum(tenants, TenantTotals::backlog)) : null);
    var rows = root.putArray("tenants");
    for (var tenant : tenants) {
      ObjectNode row = Json.mapper().valueToTree(tenant);
      row.put("verdict", verified ? Verdict.of(tenant).kind().text() : text);
      rows.add(row);
    }
    return this;
  }

  /** Adds the stages of a pipeline; null where there is none. */
  public RunRecord stages(Stages stages) {
    root.set("stages", stages == null ? null : stages.rows());
    if (stages != null) {
      root.put("missing", stages.gaps());
      root.put("duplicate", stages.duplicates());
      root.put("orderViolations", stages.violations());
      root.put("inFlight", stages.inFlight());
    }
    return this;
  }

  private static long sum(List<TenantTotals> tenants, ToLongFunction<TenantTotals> count) {
    return tenants.stream().mapToLong(count).sum();
  }

  /** Adds rates, counts and errors. */
  public RunRecord counts(Counters counters, Window window) {
    double seconds = window.seconds();
    root.put("steadySeconds", seconds);
    root.put("steadyStartEpochMs", window.startEpochMs());
    root.put("steadyEndEpochMs", window.endEpochMs());
    root.put("offeredPerSec", rate(counters.steady(Counter.OFFERED), seconds));
    root.put("achievedPushPerSec", rate(counters.steady(Counter.ACCEPTED), seconds));
    root.put("deliveredPerSec", rate(counters.steady(Counter.DELIVERED), seconds));
    root.put("deliveredInSteady", counters.steady(Counter.DELIVERED));
    root.set("totals", counts(counters::total));
    root.set("steadyTotals", counts(counters::steady));
    root.set("errors", Json.mapper().valueToTree(counters.errors()));
    return this;
  }

  private static ObjectNode counts(ToLongFunction<Counter> count) {
    var node = Json.object();
    for (var counter : Counter.values()) {
      node.put(camelCase(counter.name()), count.applyAsLong(counter));
    }
    return node;
  }

  private static String camelCase(String constant) {
    var name = new StringBuilder();
    for (var word : constant.split("_", -1)) {
      var lower = word.toLowerCase(java.util.Locale.ROOT);
      name.append(
          name.isEmpty() ? lower : Character.toUpperCase(lower.charAt(0)) + lower.substring(1));
    }
    return name.toString();
  }

  private static Double rate(long count, double seconds) {
    return seconds <= 0 ? null : Double.valueOf(count / seconds);
  }

  /** Adds latencies of what was scheduled in the steady window. */
  public RunRecord latencies(Latencies latencies) {
    root.set("latencyMs", Histograms.percentiles(latencies.steady(Series.END_TO_END)));
    root.set("pushLatencyMs", Histograms.percentiles(latencies.steady(Series.PUSH)));
    root.set(
        "pushFromSendLatencyMs", Histograms.percentiles(latencies.steady(Series.PUSH_FROM_SEND)));
    root.set("ackLatencyMs", Histograms.percentiles(latencies.steady(Series.ACK)));
    var histograms = root.putObject("histograms");
    for (var series : Series.values()) {
      histograms.put(series.tag(), Histograms.encode(latencies.steady(series)));
    }
    return this;
  }

  /** Adds the loader's watch over itself. */
  public RunRecord health(Health health) {
    root.put("loaderCores", health.cores());
    root.put("loaderSaturated", health.saturated());
    ObjectNode detail = Json.mapper().valueToTree(health);
    root.set("loader", detail.put("saturation", health.saturation()));
    return this;
  }

  /** Adds the faults that were injected on purpose. */
  public RunRecord faults(ObjectNode faults) {
    root.set("faults", faults);
    return this;
  }

  /** Adds what the run printed. */
  public RunRecord output(List<String> lines) {
    root.set("output", Json.mapper().valueToTree(lines));
    return this;
  }

  /** The finished document. */
  public ObjectNode json() {
    return root;
  }

  /** Writes the record so that a reader sees all of it or none. */
  public void write(Path file) throws IOException {
    write(root, file);
  }

  /** Writes a record. */
  static void write(ObjectNode record, Path file) throws IOException {
    var bytes = Json.mapper().writerWithDefaultPrettyPrinter().writeValueAsBytes(record);
    var draft = file.resolveSibling(file.getFileName() + ".draft");
    try (var channel =
        FileChannel.open(
            draft,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      var buffer = ByteBuffer.wrap(bytes);
      while (buffer.hasRemaining()) {
        channel.write(buffer);
      }
      channel.force(true);
    }
    Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }
}
