package dev.queencell.cell.sample;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.TreeMap;

/**
 * The text that says under which conditions a point was measured: the machine, the caps that the
 * kernel has in force, which process ran in which group with which command line, PostgreSQL's
 * version and chosen settings, who else used the machine, and the load average before and after.
 * Holds no secrets. Not thread-safe.
 */
final class Shape {
  private static final int COMMAND_CHARACTERS_MAX = 2_000;

  private final SampledCell cell;
  private final Groups groups;
  private final Path proc;
  private final String neighbours;
  private final StringBuilder text = new StringBuilder();

  Shape(SampledCell cell, Groups groups, Path proc, String neighbours) {
    this.neighbours = neighbours;
    this.cell = cell;
    this.groups = groups;
    this.proc = proc;
  }

  /**
   * The state before the run.
   *
   * @param postgres null when it can't be asked
   */
  String begin(Postgres postgres) {
    title("machine");
    line("kernel", first(proc.resolve("version")));
    line("cpus", Integer.toString(Runtime.getRuntime().availableProcessors()));
    line("cpu model", keyed(proc.resolve("cpuinfo"), "model name"));
    line("memory", keyed(proc.resolve("meminfo"), "MemTotal"));
    line("load average before", first(proc.resolve("loadavg")));
    line("neighbours before", neighbours);
    caps();
    units();
    title("cell.env");
    new TreeMap<>(cell.home().settings()).forEach(this::line);
    postgres(postgres);
    return text.toString();
  }

  /** The whole text, with the state after the run. */
  String end() {
    title("after the run");
    line("load average after", first(proc.resolve("loadavg")));
    return text.toString();
  }

  private void caps() {
    title("caps in force, read from the kernel");
    var slice = cell.group(UsageProbe.SLICE);
    if (slice.isEmpty()) {
      line("slice", "none: the cell is not capped");
      return;
    }
    var caps = groups.caps(slice);
    line("slice", slice);
    line("CPUs", caps.cpus() > 0 ? Double.toString(caps.cpus()) : "no cap");
    line("memory bytes", caps.memoryBytes() > 0 ? Long.toString(caps.memoryBytes()) : "no cap");
  }

  private void units() {
    title("processes");
    for (var unit : cell.units()) {
      var group = cell.group(unit);
      var inGroup = group.isEmpty() ? List.<Long>of() : groups.processes(group);
      var pids = inGroup.isEmpty() ? cell.pid(unit).stream().boxed().toList() : inGroup;
      line(unit + " group", group.isEmpty() ? "none" : group);
      for (var pid : pids) {
        line(unit + " pid " + pid, command(pid));
      }
    }
  }

  private void postgres(Postgres postgres) {
    title("PostgreSQL");
    if (postgres == null) {
      line("version", "unknown: it did not answer");
      return;
    }
    try {
      line("version", postgres.version());
      postgres.outside(
          Queries.SETTINGS,
          rows -> {
            while (rows.next()) {
              line(rows.getString("name"), rows.getString("setting"));
            }
            return null;
          });
    } catch (SQLException e) {
      line("settings", "unknown: " + e.getMessage());
    }
  }

  private String command(long pid) {
    var command = first(proc.resolve(Long.toString(pid)).resolve("cmdline")).replace('\0', ' ');
    return command.substring(0, Math.min(command.length(), COMMAND_CHARACTERS_MAX)).strip();
  }

  private void title(String title) {
    text.append(text.isEmpty() ? "" : "\n").append("# ").append(title).append('\n');
  }

  private void line(String name, String value) {
    text.append(name).append(": ").append(value).append('\n');
  }

  private static String keyed(Path file, String key) {
    for (var line : lines(file)) {
      if (line.startsWith(key)) {
        return line.substring(line.indexOf(':') + 1).strip();
      }
    }
    return "unknown";
  }

  private static String first(Path file) {
    var lines = lines(file);
    return lines.isEmpty() ? "" : lines.getFirst();
  }

  private static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException e) {
      return List.of();
    }
  }
}
