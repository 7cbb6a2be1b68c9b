package dev.queencell.cell.status;

import java.util.List;
import java.util.Map;

/**
 * A whole cell at one moment.
 *
 * @param home where it lives
 * @param isUp whether it was brought up and not taken down since
 * @param caps what was asked for and what the kernel enforces
 * @param processes the units that the cell runs, in the order of their start
 * @param proxyAdminPort where the proxy answers its operator
 * @param isEnforcing whether the proxy refuses what is over a limit, or only counts it
 * @param pg the server of the messages
 * @param pgMode embedded, system or external
 * @param statePg the server of the tenant state
 * @param disk bytes that the home and its databases take, and that are left
 */
record CellStatus(
    String home,
    boolean isUp,
    Caps caps,
    List<UnitStatus> processes,
    int proxyAdminPort,
    boolean isEnforcing,
    PostgresView pg,
    String pgMode,
    PostgresView statePg,
    Disk disk) {

  /** Exit codes of {@code status}, for scripts. */
  static final int EXIT_HEALTHY = 0;

  static final int EXIT_UNHEALTHY = 3;
  static final int EXIT_DOWN = 4;

  CellStatus {
    processes = List.copyOf(processes);
  }

  int exitCode() {
    if (!isUp || processes.stream().noneMatch(UnitStatus::exists)) {
      return EXIT_DOWN;
    }
    boolean allHealthy = processes.stream().allMatch(one -> one.health().isHealthy());
    return allHealthy && pg.health().isHealthy() ? EXIT_HEALTHY : EXIT_UNHEALTHY;
  }

  /**
   * @param how systemd, cgroup or none
   * @param why what decided that
   * @param askedCpus 0 for no cap
   * @param askedMemoryGib 0 for no cap
   * @param group the whole cell's group as the kernel shows it
   */
  record Caps(String how, String why, double askedCpus, double askedMemoryGib, GroupUse group) {
    /** Whether the kernel holds the cell to any number at all. */
    boolean isCapped() {
      return group.cpuCapCores().isPresent() || group.memoryCapBytes().isPresent();
    }

    /**
     * What was asked for and is not in force, in words; empty when all is, or where there is
     * nothing to enforce it with.
     */
    String missing() {
      var missing = new StringBuilder();
      if (how.equals("none")) {
        return "";
      }
      if (askedCpus > 0 && group.cpuCapCores().isEmpty()) {
        missing.append("the CPU cap is not in force");
      }
      if (askedMemoryGib > 0 && group.memoryCapBytes().isEmpty()) {
        missing.append(missing.isEmpty() ? "" : ", ").append("the memory cap is not in force");
      }
      return missing.toString();
    }
  }

  /**
   * One process of the cell.
   *
   * @param name like {@code broker}
   * @param cgroup its group below the hierarchy's root; empty when it has none
   * @param cpuMicros processor time so far, of its group where it has one
   * @param cpuPercent of one CPU, over the moment that was looked at
   * @param memoryBytes charged to its group, files in memory included; without a group what is
   *     resident
   * @param residentBytes in use by its processes, shared pages counted once
   */
  record UnitStatus(
      String name,
      UnitRun run,
      int port,
      String cgroup,
      long uptimeMs,
      long cpuMicros,
      double cpuPercent,
      long memoryBytes,
      long residentBytes,
      Health health) {
    boolean exists() {
      return run.state() == UnitRun.State.RUNNING || run.state() == UnitRun.State.RESTARTING;
    }
  }

  /**
   * @param usedBytes by folder of the home: {@code pg}, {@code statepg}, {@code log}, {@code all}
   * @param freeBytes left on the file system of the home
   */
  record Disk(Map<String, Long> usedBytes, long freeBytes) {}
}
