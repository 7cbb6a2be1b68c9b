package dev.queencell.cell.plan;

import static dev.queencell.cell.plan.Budget.MIB;

import dev.queencell.cell.output.Json;
import dev.queencell.cell.output.TextTable;
import java.util.List;
import java.util.stream.Collectors;
import tools.jackson.databind.node.ObjectNode;

/** The plan in the words of each of its readers. */
final class PlanPrinter {
  private final CellPlan plan;

  PlanPrinter(CellPlan plan) {
    this.plan = plan;
  }

  /** Lines for {@code postgresql.conf}. */
  static String postgres(PostgresPlan server) {
    return server.settings().stream()
        .map(setting -> "%s = '%s'\n".formatted(setting.name(), setting.value()))
        .collect(Collectors.joining());
  }

  /** One argument of {@code java} a line. */
  static String jvm(JvmPlan jvm) {
    return jvm.flags().stream()
        .map(flag -> flag.name() + flag.value() + "\n")
        .collect(Collectors.joining());
  }

  /** {@code KEY=VALUE} lines of one service. */
  String environment(String service) {
    return plan.environment(service).stream()
        .map(setting -> setting.name() + "=" + setting.value() + "\n")
        .collect(Collectors.joining());
  }

  /** Where the memory goes, for people. */
  String summary() {
    var table = new TextTable("part", "MiB", "share");
    for (var jvm : plan.jvms()) {
      row(table, jvm.name() + " JVM", jvm.ceilingBytes());
    }
    row(table, "pg shared buffers", plan.messages().sharedBytes());
    row(table, "pg processes", plan.messages().privateBytes());
    row(table, "statepg", plan.tenantState().ceilingBytes());
    row(table, "page cache", plan.pageCacheBytes());
    row(table, "together", plan.budget().memoryBytes());
    return headline() + table.render();
  }

  /** Every number with its reason. */
  String explain() {
    var text = new StringBuilder(summary());
    section(text, "PostgreSQL of the messages", plan.messages().settings());
    section(text, "PostgreSQL of the tenant state", plan.tenantState().settings());
    for (var jvm : plan.jvms()) {
      section(text, "JVM of " + jvm.name(), jvm.flags());
      section(text, "environment of " + jvm.name(), plan.environment(jvm.name()));
    }
    return text.toString();
  }

  /** The same for machines. */
  ObjectNode json() {
    var budget = plan.budget();
    var root = Json.object();
    root.put("cpus", budget.cpus());
    root.put("memoryBytes", budget.memoryBytes());
    root.put("cpuCapped", budget.cpuCapped());
    root.put("memoryCapped", budget.memoryCapped());
    root.put("pageCacheBytes", plan.pageCacheBytes());
    putServer(root.putObject("postgres"), plan.messages());
    putServer(root.putObject("statepg"), plan.tenantState());
    var jvms = root.putObject("jvms");
    for (var jvm : plan.jvms()) {
      var node = jvms.putObject(jvm.name());
      node.put("ceilingBytes", jvm.ceilingBytes());
      node.put("heapBytes", jvm.heapBytes());
      var flags = node.putArray("flags");
      jvm.flags().forEach(flag -> flags.add(flag.name() + flag.value()));
      put(node.putObject("environment"), plan.environment(jvm.name()));
    }
    return root;
  }

  private String headline() {
    var budget = plan.budget();
    return "sized for %s CPUs%s and %d MiB%s%n"
        .formatted(
            Budget.text(budget.cpus()),
            budget.cpuCapped() ? "" : " (no cap)",
            budget.memoryBytes() / MIB,
            budget.memoryCapped() ? "" : " (no cap)");
  }

  private void row(TextTable table, String part, long bytes) {
    table.row(
        part,
        bytes / MIB,
        "%d%%".formatted(Math.round(100.0 * bytes / plan.budget().memoryBytes())));
  }

  private static void section(StringBuilder text, String title, List<Setting> settings) {
    text.append('\n').append(title).append('\n');
    var table = new TextTable("setting", "value", "why");
    settings.forEach(setting -> table.row(setting.name(), setting.value(), setting.reason()));
    text.append(table.render());
  }

  private static void putServer(ObjectNode node, PostgresPlan server) {
    node.put("ceilingBytes", server.ceilingBytes());
    put(node.putObject("settings"), server.settings());
  }

  private static void put(ObjectNode node, List<Setting> settings) {
    settings.forEach(setting -> node.put(setting.name(), setting.value()));
  }
}
