package dev.queencell.report.page;

import static dev.queencell.report.page.Table.Column.number;
import static dev.queencell.report.page.Table.Column.text;

import dev.queencell.cell.output.Json;
import dev.queencell.cell.plan.PlanCommand;
import dev.queencell.report.read.MeasuredPoint;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.DoubleFunction;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;

/**
 * What a cell's cap was meant to be spent on, and what was used of it: a set of tables for each cap
 * that points were measured under. The plan is computed anew from the cap, as `up` does it.
 *
 * @param title the cap
 * @param memory memory by part: planned, and the most that was used
 * @param postgres PostgreSQL's bounds and what the samples saw of them
 * @param plan every number of the plan with its reason; empty when there is no plan for this cap
 */
record BudgetTables(String title, Table memory, Table postgres, String plan) {
  private static final double GIB = 1L << 30;

  /** The caps of a cell; NaN is none. */
  private record Cap(double cpus, double memoryBytes) {
    static Cap of(MeasuredPoint point) {
      return new Cap(point.number("capCpus"), point.number("capMemoryBytes"));
    }

    boolean isWhole() {
      return Double.isFinite(cpus) && Double.isFinite(memoryBytes);
    }
  }

  /** Whether there is a plan for this cap. */
  boolean hasPlan() {
    return !plan.isEmpty();
  }

  static List<BudgetTables> of(List<MeasuredPoint> points) {
    var byCap =
        points.stream()
            .filter(point -> !point.summary().isEmpty())
            .collect(Collectors.groupingBy(Cap::of, LinkedHashMap::new, Collectors.toList()));
    var tables = new ArrayList<BudgetTables>();
    byCap.forEach((cap, under) -> tables.add(of(cap, under)));
    return tables;
  }

  private static BudgetTables of(Cap cap, List<MeasuredPoint> points) {
    var title =
        cap.isWhole()
            ? "%s and %s for everything together"
                .formatted(Units.capCpus(cap.cpus()), Units.capMemory(cap.memoryBytes()))
            : "No cap";
    var json = cap.isWhole() ? plan(cap, "--json") : "";
    var plan = json.isEmpty() ? Json.object() : Json.mapper().readTree(json);
    return new BudgetTables(
        title,
        memory(plan, points),
        postgres(plan.path("postgres").path("settings"), points),
        cap.isWhole() ? plan(cap, "--explain") : "");
  }

  /** What {@code cell.jar plan} prints; empty where no cell is planned for such a cap. */
  private static String plan(Cap cap, String format) {
    var out = new StringWriter();
    var memory = Double.toString(cap.memoryBytes() / GIB);
    int status =
        new CommandLine(new PlanCommand())
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(new StringWriter()))
            .setExecutionExceptionHandler((e, command, parsed) -> CommandLine.ExitCode.SOFTWARE)
            .execute("--cpus", Double.toString(cap.cpus()), "--mem", memory, format);
    return status == 0 ? out.toString() : "";
  }

  private static Table memory(JsonNode plan, List<MeasuredPoint> points) {
    var table =
        Table.of(
            text("memory"),
            number("planned at most"),
            number("used at most"),
            number("of the plan"),
            text("in"));
    for (var unit : Tables.UNITS) {
      double planned =
          switch (unit) {
            case "pg" -> plan.path("postgres").path("ceilingBytes").asDouble(Double.NaN);
            case "statepg" -> plan.path("statepg").path("ceilingBytes").asDouble(Double.NaN);
            default -> plan.path("jvms").path(unit).path("ceilingBytes").asDouble(Double.NaN);
          };
      memoryRow(table, unit, planned, unit, points);
    }
    memoryRow(table, "whole cell", plan.path("memoryBytes").asDouble(Double.NaN), "slice", points);
    return table;
  }

  private static void memoryRow(
      Table table, String name, double planned, String unit, List<MeasuredPoint> points) {
    var most = most(points, point -> point.number("memoryPeakBytes", unit));
    double used = most == null ? Double.NaN : most.number("memoryPeakBytes", unit);
    table.row(
        name,
        Units.bytes(planned),
        Units.bytes(used),
        Units.share(used / planned),
        most == null ? Units.UNKNOWN : most.label());
  }

  private static Table postgres(JsonNode settings, List<MeasuredPoint> points) {
    var table = Table.of(text("PostgreSQL"), text("planned"), number("used at most"), text("in"));
    used(
        table,
        "shared buffers, and other memory of its processes",
        setting(settings, "shared_buffers"),
        points,
        point -> point.number("memoryPeakBytes", "pg"),
        Units::bytes);
    used(
        table,
        "blocks found in shared buffers, least",
        "",
        points,
        point -> -hitShare(point),
        share -> Units.share(-share));
    used(
        table,
        "broker’s sessions",
        setting(settings, "max_connections"),
        points,
        point -> point.metrics().getOrDefault("queen_db_pool_size", Double.NaN),
        Units::count);
    used(
        table,
        "server processes",
        "",
        points,
        point -> largest(point, "pg", "processes"),
        Units::count);
    used(
        table,
        "log written in the run",
        setting(settings, "max_wal_size"),
        points,
        point -> sum(point, "walBytes"),
        Units::bytes);
    used(
        table,
        "checkpoints in the steady window",
        setting(settings, "checkpoint_timeout"),
        points,
        point -> point.number("checkpoints"),
        Units::count);
    used(
        table,
        "temporary files",
        setting(settings, "work_mem"),
        points,
        point -> sum(point, "tempBytes"),
        Units::bytes);
    used(table, "database", "", points, point -> point.number("databaseBytesMax"), Units::bytes);
    used(
        table,
        "dead rows",
        setting(settings, "autovacuum_naptime"),
        points,
        point -> point.number("deadTuplesMax"),
        Units::count);
    return table;
  }

  private static void used(
      Table table,
      String name,
      String planned,
      List<MeasuredPoint> points,
      ToDoubleFunction<MeasuredPoint> value,
      DoubleFunction<String> text) {
    var most = most(points, value);
    if (planned.isEmpty() && most == null) {
      return;
    }
    table.row(
        name,
        Tables.known(planned),
        most == null ? Units.UNKNOWN : text.apply(value.applyAsDouble(most)),
        most == null ? Units.UNKNOWN : most.label());
  }

  private static String setting(JsonNode settings, String name) {
    var value = settings.path(name).asString("");
    return value.isEmpty() ? "" : name + " " + value;
  }

  private static MeasuredPoint most(
      List<MeasuredPoint> points, ToDoubleFunction<MeasuredPoint> value) {
    MeasuredPoint most = null;
    for (var point : points) {
      if (Double.isFinite(value.applyAsDouble(point))
          && (most == null || value.applyAsDouble(point) > value.applyAsDouble(most))) {
        most = point;
      }
    }
    return most;
  }

  private static double hitShare(MeasuredPoint point) {
    double hit = sum(point, "blocksHit");
    return hit / (hit + sum(point, "blocksRead"));
  }

  private static double sum(MeasuredPoint point, String column) {
    var known =
        point.database().stream()
            .mapToLong(line -> line.value(column))
            .filter(v -> v >= 0)
            .toArray();
    return known.length == 0 ? Double.NaN : Arrays.stream(known).sum();
  }

  private static double largest(MeasuredPoint point, String unit, String column) {
    long most = point.unit(unit).stream().mapToLong(line -> line.value(column)).max().orElse(-1);
    return most < 0 ? Double.NaN : most;
  }
}
