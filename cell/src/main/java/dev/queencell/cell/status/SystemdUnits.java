package dev.queencell.cell.status;

import dev.queencell.cell.home.CellHome;
import dev.queencell.cell.process.Command;
import dev.queencell.cell.process.ServiceUser;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.function.Function;

/**
 * Asks systemd about the transient units that the scripts made. A unit of the right name that
 * belongs to another home (its description names it) counts as down.
 */
final class SystemdUnits implements UnitRuns {
  private static final Duration ANSWER_DEADLINE = Duration.ofSeconds(10);

  private final CellHome home;
  private final Function<List<String>, String> systemctl;

  /**
   * @param systemctl runs systemctl with the given arguments and returns what it printed
   */
  SystemdUnits(CellHome home, Function<List<String>, String> systemctl) {
    this.home = home;
    this.systemctl = systemctl;
  }

  /** The machine's manager for root, the user's own for anybody else. */
  static Function<List<String>, String> systemctl() {
    return arguments -> {
      var command = new ArrayList<String>();
      command.add("systemctl");
      if (!ServiceUser.isRoot()) {
        command.add("--user");
      }
      command.addAll(arguments);
      return Command.run(command, "", ANSWER_DEADLINE);
    };
  }

  @Override
  public UnitRun read(String unit) {
    var shown = new HashMap<String, String>();
    systemctl
        .apply(
            List.of(
                "show",
                "--property=ActiveState,SubState,Description,MainPID,NRestarts",
                "%s-%s.service".formatted(home.get("SLICE"), unit)))
        .lines()
        .forEach(
            line -> {
              int sign = line.indexOf('=');
              if (sign > 0) {
                shown.put(line.substring(0, sign), line.substring(sign + 1));
              }
            });
    var ours = "Queen Cell %s in %s".formatted(unit, home.get("HOME"));
    if (!ours.equals(shown.get("Description"))) {
      return UnitRun.down(UnitRun.State.DOWN, 0, "");
    }
    int restarts = (int) number(shown.get("NRestarts"));
    var sub = shown.getOrDefault("SubState", "");
    // Before its program runs a unit only ever waits, in systemd or in the kit's backoff.sh.
    if (sub.startsWith("auto-restart") || sub.equals("start-pre")) {
      return UnitRun.restarting(restarts, new RunRecords(home).waitMs(unit), "");
    }
    return switch (shown.getOrDefault("ActiveState", "")) {
      case "active", "activating", "reloading", "deactivating" ->
          UnitRun.running(number(shown.get("MainPID")), restarts, "");
      case "failed" -> UnitRun.down(UnitRun.State.FAILED, restarts, "");
      default -> UnitRun.down(UnitRun.State.DOWN, restarts, "");
    };
  }

  private static long number(String text) {
    return text == null || !text.matches("[0-9]{1,18}") ? 0 : Long.parseLong(text);
  }
}
