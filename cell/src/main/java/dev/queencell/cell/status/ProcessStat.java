package dev.queencell.cell.status;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * One process as {@code /proc} shows it.
 *
 * @param pid its id
 * @param startTicks when it started, in clock ticks since boot; with the pid it names one process
 * @param cpuTicks user and system time so far, in clock ticks, that of its ended children included
 */
record ProcessStat(long pid, long startTicks, long cpuTicks) {
  /**
   * The kernel's USER_HZ, the unit of times in {@code /proc}: 100 on every Linux that Java runs on.
   */
  static final long TICKS_PER_SECOND = 100;

  private static final int FIELD_STATE = 0;
  private static final int FIELD_CPU_TICKS_FIRST = 11;
  private static final int FIELD_CPU_TICKS_LAST = 14;
  private static final int FIELD_START_TICKS = 19;

  /** Reads a process; empty when there is none with this id or it is a zombie. */
  static Optional<ProcessStat> read(Path proc, long pid) {
    var folder = proc.resolve(Long.toString(pid));
    try {
      var text = Files.readString(folder.resolve("stat"));
      // The command's name stands in brackets and may hold anything, also brackets.
      var fields = text.substring(text.lastIndexOf(')') + 2).split(" ", -1);
      if (fields[FIELD_STATE].equals("Z")) {
        return Optional.empty();
      }
      long cpuTicks = 0;
      for (int field = FIELD_CPU_TICKS_FIRST; field <= FIELD_CPU_TICKS_LAST; field++) {
        cpuTicks += Long.parseLong(fields[field]);
      }
      return Optional.of(new ProcessStat(pid, Long.parseLong(fields[FIELD_START_TICKS]), cpuTicks));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** How long it has run, given how long the machine has. */
  long uptimeMs(long machineUptimeMs) {
    return Math.max(0, machineUptimeMs - startTicks * 1000 / TICKS_PER_SECOND);
  }

  long cpuMicros() {
    return cpuTicks * (1_000_000 / TICKS_PER_SECOND);
  }
}
