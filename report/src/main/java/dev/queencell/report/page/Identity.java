package dev.queencell.report.page;

import static dev.queencell.report.page.Table.Column.text;

import dev.queencell.report.read.MeasuredPoint;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/**
 * What was measured, on what: without it a number is a memory. A property that is the same for all
 * points has one line; one that differs has a line for each value with the points that had it.
 */
final class Identity {
  private static final int COMMIT_SHOWN = 12;

  private Identity() {}

  static Table of(List<MeasuredPoint> points) {
    var table = Table.of(text("what"), text("value"), text("points"));
    add(table, points, "loader", point -> build(point.record().path("builds").path("loader")));
    add(table, points, "broker", point -> build(point.record().path("builds").path("broker")));
    add(table, points, "proxy", point -> build(point.record().path("builds").path("proxy")));
    add(
        table,
        points,
        "JVM",
        point -> point.record().path("builds").path("broker").path("jvm").asString(""));
    add(table, points, "JVM flags of the broker", point -> flags(point, "broker"));
    add(table, points, "JVM flags of the loader", point -> flags(point, "loader"));
    add(
        table,
        points,
        "PostgreSQL",
        point ->
            first(
                point.record().path("builds").path("postgres").path("version").asString(""),
                point.sampler().path("postgres").asString("")));
    add(
        table,
        points,
        "kernel",
        point ->
            first(
                point.record().path("host").path("kernel").asString(""),
                point.shape().section("machine").getOrDefault("kernel", "")));
    add(table, points, "CPU", Identity::processor);
    add(
        table,
        points,
        "memory of the machine",
        point -> Units.bytes(point.record().path("host").path("memoryBytes").asDouble(Double.NaN)));
    add(table, points, "one disk sync", Identity::diskSync);
    add(table, points, "caps in force", Identity::caps);
    add(
        table,
        points,
        "load average before",
        point -> point.shape().section("machine").getOrDefault("load average before", ""));
    add(
        table,
        points,
        "loader’s configuration",
        point -> point.record().path("config").asString(""));
    return table;
  }

  /** PostgreSQL's chosen settings, as the server had them in force. */
  static Table settings(List<MeasuredPoint> points) {
    var table = Table.of(text("PostgreSQL setting"), text("value"), text("points"));
    var names = new TreeSet<String>();
    points.forEach(point -> names.addAll(point.shape().section("PostgreSQL").keySet()));
    names.remove("version");
    for (var name : names) {
      add(table, points, name, point -> point.shape().section("PostgreSQL").getOrDefault(name, ""));
    }
    return table;
  }

  private static void add(
      Table table, List<MeasuredPoint> points, String name, Function<MeasuredPoint, String> value) {
    Map<String, List<String>> byValue =
        points.stream()
            .collect(
                Collectors.groupingBy(
                    value,
                    LinkedHashMap::new,
                    Collectors.mapping(MeasuredPoint::label, Collectors.toList())));
    byValue.forEach(
        (text, labels) ->
            table.row(
                name, Tables.known(text), byValue.size() == 1 ? "all" : String.join(", ", labels)));
  }

  private static String build(JsonNode build) {
    var commit = build.path("commit").asString("");
    var version = build.path("version").asString("");
    return commit.isEmpty()
        ? version
        : "%s, commit %s"
            .formatted(version, commit.substring(0, Math.min(COMMIT_SHOWN, commit.length())));
  }

  private static String flags(MeasuredPoint point, String build) {
    return point
        .record()
        .path("builds")
        .path(build)
        .path("jvmFlags")
        .valueStream()
        .map(flag -> flag.asString(""))
        .collect(Collectors.joining(" "));
  }

  private static String processor(MeasuredPoint point) {
    var host = point.record().path("host");
    var model = host.path("cpuModel").asString("");
    return model.isEmpty() ? "" : "%s × %s".formatted(host.path("cores").asString("?"), model);
  }

  private static String diskSync(MeasuredPoint point) {
    double ms = point.record().path("host").path("diskSync").path("medianMs").asDouble(Double.NaN);
    return Double.isFinite(ms) ? Units.ms(ms) + " median" : "";
  }

  private static String caps(MeasuredPoint point) {
    if (point.summary().isEmpty()) {
      return "";
    }
    if (!point.flag("capped")) {
      return "none";
    }
    var by = point.sampler().path("cap").asString("");
    return "%s, %s"
            .formatted(
                Units.capCpus(point.number("capCpus")),
                Units.capMemory(point.number("capMemoryBytes")))
        + (by.isEmpty() ? "" : ", by " + by);
  }

  private static String first(String one, String other) {
    return one.isEmpty() ? other : one;
  }
}
