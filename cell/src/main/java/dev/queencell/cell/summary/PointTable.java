package dev.queencell.cell.summary;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/** A summary for a terminal: one subject a line, every number with its unit. */
final class PointTable {
  private static final int WAITS_SHOWN = 4;
  private static final double MIB = 1024.0 * 1024.0;
  private static final String UNKNOWN = "?";

  private PointTable() {}

  static String render(JsonNode summary) {
    var text = new StringBuilder();
    line(text, "point", head(summary));
    line(
        text,
        "rate",
        "offered %s/s  pushed %s/s  delivered %s/s  over %s s"
            .formatted(
                one(summary, "offeredPerSec"),
                one(summary, "achievedPushPerSec"),
                one(summary, "deliveredPerSec"),
                one(summary, "steadySeconds")));
    line(
        text,
        "delivery",
        "missing %s  duplicate %s  other tenant's %s"
            .formatted(
                count(summary, "missing"),
                count(summary, "duplicate"),
                count(summary, "crossTenant")));
    line(
        text,
        "cell",
        "%s cores%s  throttled %s of periods  %s commits/msg  %s WAL bytes/msg"
            .formatted(
                two(summary, "cellCores"),
                summary.path("capCpus").isNumber()
                    ? " of " + two(summary, "capCpus")
                    : " (not capped)",
                percent(summary.path("throttledShare")),
                three(summary, "commitsPerMessage"),
                count(summary, "walBytesPerMessage")));
    line(text, "CPU µs/msg", perUnit(summary, "cpuMicrosPerMessage", 1) + cellCost(summary));
    line(text, "peak MiB", perUnit(summary, "memoryPeakBytes", MIB));
    var latency = summary.path("latencyMs");
    line(
        text,
        "latency ms",
        List.of("p50", "p90", "p99", "p999", "max").stream()
            .map(key -> key + " " + one(latency, key))
            .collect(Collectors.joining("  ")));
    line(text, "waits", waits(summary));
    line(
        text,
        "WAL syncs",
        "%s µs each  %s/msg"
            .formatted(
                count(summary, "walFsyncMicrosMean"), three(summary, "walFsyncsPerMessage")));
    line(
        text,
        "limited by",
        "%s  (cores beside the cell: loader %s  sampler %s  others %s; in it: sampling %s)"
            .formatted(
                summary.path("limitedBy").asString(UNKNOWN),
                two(summary, "loaderCores"),
                two(summary, "samplerCores"),
                two(summary, "othersCores"),
                three(summary, "samplerSessionCores")));
    notes(summary).forEach(note -> line(text, "note", note));
    return text.toString();
  }

  private static String head(JsonNode summary) {
    var head = new StringBuilder(summary.path("runId").asString(UNKNOWN));
    head.append("  ").append(summary.path("verdict").asString("no verdict"));
    if (summary.path("target").isString()) {
      head.append("  through ").append(summary.path("target").asString());
    }
    return head.toString();
  }

  private static List<String> notes(JsonNode summary) {
    var notes = new ArrayList<String>();
    if (summary.path("loaderSaturated").asBoolean(false)) {
      notes.add("the loader was saturated: this point measures the loader");
    }
    if (!summary.path("window").asString("").equals("steady")) {
      notes.add("no steady window on record: the numbers span the whole run");
    }
    if (summary.path("partial").asBoolean(false)) {
      notes.add("the run was cut short");
    }
    var restarts =
        summary.path("restarts").properties().stream()
            .filter(unit -> unit.getValue().asLong(0) > 0)
            .map(unit -> unit.getKey() + " " + unit.getValue().asLong())
            .collect(Collectors.joining("  "));
    if (!restarts.isEmpty()) {
      notes.add("started again during the run: " + restarts);
    }
    if (!summary.path("neighbours").path("quiet").asBoolean(true)) {
      notes.add("measured all the same: " + summary.path("neighbours").path("text").asString());
    }
    if (summary.path("samplerDied").asBoolean(false)) {
      notes.add("the sampler died during the run");
    }
    if (!summary.path("sampleGaps").isEmpty() || summary.path("sampleCoverage").asDouble(1) < 1) {
      notes.add(
          "samples cover %s of the window; see sampleGaps"
              .formatted(percent(summary.path("sampleCoverage"))));
    }
    if (summary.path("databaseCoverage").asDouble(1) < 1) {
      notes.add(
          "samples of PostgreSQL cover %s of the window; see samplerProblems"
              .formatted(percent(summary.path("databaseCoverage"))));
    }
    return notes;
  }

  private static String perUnit(JsonNode summary, String key, double divisor) {
    return summary.path(key).properties().stream()
        .map(
            unit ->
                unit.getKey()
                    + " "
                    + (unit.getValue().isNumber()
                        ? rounded(unit.getValue().doubleValue() / divisor, 0)
                        : UNKNOWN))
        .collect(Collectors.joining("  "));
  }

  private static String cellCost(JsonNode summary) {
    return "  cell " + count(summary, "cellCpuMicrosPerMessage");
  }

  private static String waits(JsonNode summary) {
    var shown =
        summary
            .path("topWaitEvents")
            .valueStream()
            .limit(WAITS_SHOWN)
            .map(one -> one.path("event").asString() + " " + percent(one.path("share")))
            .collect(Collectors.joining("  "));
    long seen =
        summary
            .path("topWaitEvents")
            .valueStream()
            .mapToLong(one -> one.path("backends").asLong())
            .sum();
    return shown.isEmpty() ? "no backend was seen working" : "%s  (seen %d)".formatted(shown, seen);
  }

  private static void line(StringBuilder text, String subject, String value) {
    text.append("%-12s%s%n".formatted(subject, value));
  }

  private static String count(JsonNode node, String key) {
    return number(node.path(key), 0);
  }

  private static String one(JsonNode node, String key) {
    return number(node.path(key), 1);
  }

  private static String two(JsonNode node, String key) {
    return number(node.path(key), 2);
  }

  private static String three(JsonNode node, String key) {
    return number(node.path(key), 3);
  }

  private static String percent(JsonNode share) {
    return share.isNumber() ? rounded(share.doubleValue() * 100, 1) + '%' : UNKNOWN;
  }

  private static String number(JsonNode node, int decimals) {
    return node.isNumber() ? rounded(node.doubleValue(), decimals) : UNKNOWN;
  }

  private static String rounded(double value, int decimals) {
    return BigDecimal.valueOf(value).setScale(decimals, RoundingMode.HALF_UP).toPlainString();
  }
}
