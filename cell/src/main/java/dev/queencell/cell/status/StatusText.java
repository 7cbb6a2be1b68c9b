package dev.queencell.cell.status;

import dev.queencell.cell.output.TextTable;
import dev.queencell.cell.status.CellStatus.UnitStatus;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/** A cell's status for people. */
final class StatusText {
  private static final double GIB = 1L << 30;
  private static final double MIB = 1L << 20;

  private StatusText() {}

  static String of(CellStatus status) {
    var text = new StringBuilder();
    text.append("cell ").append(status.home()).append('\n');
    text.append(caps(status.caps())).append('\n');
    text.append(processes(status)).append('\n');
    text.append("proxy  %s; admin port %d%n".formatted(mode(status), status.proxyAdminPort()));
    text.append("disk   %s%n".formatted(disk(status.disk())));
    text.append(postgres("pg", status.pgMode(), status.pg()));
    text.append(postgres("statepg", "", status.statePg()));
    return text.toString();
  }

  private static String caps(CellStatus.Caps caps) {
    var text = new StringBuilder();
    if (caps.isCapped()) {
      text.append(
          "capped by %s: %s and %s for everything together (read back from the kernel)%n"
              .formatted(
                  caps.how(),
                  cpus(caps.group().cpuCapCores()),
                  memory(caps.group().memoryCapBytes())));
    } else {
      text.append(
          "*** UNCAPPED (%s): no number measured here is a capped one ***%n".formatted(caps.how()));
    }
    if (!caps.why().isEmpty()) {
      text.append("  why: ").append(caps.why()).append('\n');
    }
    if (!caps.missing().isEmpty()) {
      text.append("  *** %s ***%n".formatted(caps.missing()));
    }
    if (caps.group().periods() > 0) {
      text.append(
          "  throttled in %d of %d periods, %.1f s in all; memory %s now, %s at most%n"
              .formatted(
                  caps.group().throttledPeriods(),
                  caps.group().periods(),
                  caps.group().throttledMicros() / 1e6,
                  bytes(caps.group().memoryBytes().orElse(0)),
                  bytes(caps.group().memoryPeakBytes().orElse(0))));
    }
    return text.toString();
  }

  private static String processes(CellStatus status) {
    var table =
        new TextTable(
            "process",
            "pid",
            "port",
            "up",
            "restarts",
            "cpu",
            "memory",
            "resident",
            "health",
            "cgroup");
    for (var one : status.processes()) {
      table.row(
          "queencell-" + one.name(),
          one.run().pid() > 0 ? one.run().pid() : "-",
          one.port(),
          one.uptimeMs() > 0 ? duration(one.uptimeMs()) : "-",
          one.run().restarts(),
          String.format(Locale.ROOT, "%.1f%%", one.cpuPercent()),
          bytes(one.memoryBytes()),
          bytes(one.residentBytes()),
          health(one),
          one.cgroup());
    }
    return table.render();
  }

  private static String health(UnitStatus one) {
    var detail = one.health().detail();
    if (one.health().isHealthy()) {
      return detail.isEmpty() ? "well" : "well, " + detail;
    }
    return "NOT WELL" + (detail.isEmpty() ? "" : ": " + detail);
  }

  private static String mode(CellStatus status) {
    return status.isEnforcing()
        ? "enforce: what is over a limit is refused"
        : "shadow: what is over a limit is counted and passes";
  }

  private static String disk(CellStatus.Disk disk) {
    return "%s used (pg %s, statepg %s, logs %s), %s free"
        .formatted(
            bytes(disk.usedBytes().getOrDefault("all", 0L)),
            bytes(disk.usedBytes().getOrDefault("pg", 0L)),
            bytes(disk.usedBytes().getOrDefault("statepg", 0L)),
            bytes(disk.usedBytes().getOrDefault("log", 0L)),
            bytes(disk.freeBytes()));
  }

  private static String postgres(String name, String mode, PostgresView view) {
    if (!view.health().isHealthy()) {
      return "%s  NOT WELL: %s%n".formatted(name, view.health().detail());
    }
    var text = new StringBuilder();
    text.append(
        "%s  PostgreSQL %s%s, database %s; settings that differ from its defaults:%n"
            .formatted(
                name,
                view.version(),
                mode.isEmpty() ? "" : " (" + mode + ")",
                bytes(view.databaseBytes())));
    appendWrapped(text, view.settings());
    return text.toString();
  }

  private static void appendWrapped(StringBuilder text, Map<String, String> settings) {
    int column = 0;
    for (var setting : settings.entrySet()) {
      var word = setting.getKey() + "=" + setting.getValue();
      if (column > 0 && column + word.length() > 96) {
        text.append('\n');
        column = 0;
      }
      text.append(column == 0 ? "  " : " ").append(word);
      column += word.length() + 1;
    }
    text.append(column > 0 ? "\n" : "");
  }

  private static String cpus(OptionalDouble cores) {
    return cores.isEmpty()
        ? "no cap on CPU"
        : plain(cores.getAsDouble()) + (cores.getAsDouble() == 1 ? " CPU" : " CPUs");
  }

  private static String memory(OptionalLong limit) {
    return limit.isEmpty() ? "no cap on memory" : plain(limit.getAsLong() / GIB) + " GiB";
  }

  private static String plain(double number) {
    return String.format(Locale.ROOT, "%.3f", number).replaceAll("\\.?0+$", "");
  }

  private static String bytes(long count) {
    return count >= GIB
        ? String.format(Locale.ROOT, "%.1f GiB", count / GIB)
        : String.format(Locale.ROOT, "%.0f MiB", Math.ceil(count / MIB));
  }

  private static String duration(long ms) {
    var time = Duration.ofMillis(ms);
    if (time.toDays() > 0) {
      return "%dd%02dh".formatted(time.toDays(), time.toHoursPart());
    }
    if (time.toHours() > 0) {
      return "%dh%02dm".formatted(time.toHours(), time.toMinutesPart());
    }
    return "%dm%02ds".formatted(time.toMinutes(), time.toSecondsPart());
  }
}
