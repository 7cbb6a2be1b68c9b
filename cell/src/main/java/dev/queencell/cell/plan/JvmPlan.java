package dev.queencell.cell.plan;

import static dev.queencell.cell.plan.Budget.MIB;

import java.util.ArrayList;
import java.util.List;

/**
 * One service's JVM: sizes that are hard ceilings (heap, direct memory, code cache) and the
 * estimate for what no flag bounds.
 *
 * @param name broker, proxy or state
 * @param heapBytes {@code -Xmx}
 * @param directBytes {@code -XX:MaxDirectMemorySize}
 * @param codeCacheBytes {@code -XX:ReservedCodeCacheSize}
 * @param processors {@code -XX:ActiveProcessorCount}
 */
record JvmPlan(String name, long heapBytes, long directBytes, long codeCacheBytes, int processors) {
  /**
   * Class metadata, thread stacks and the virtual machine's own structures. An estimate for
   * services of this size; a share of the heap covers the collector's tables.
   */
  private static final long UNBOUNDED_BYTES = 44 * MIB;

  private static final double COLLECTOR_SHARE = 0.03;

  /** Up to here one thread collects in a few milliseconds and needs no barriers. */
  private static final long SERIAL_HEAP_MAX = 512 * MIB;

  private static final int COLLECTOR_THREADS_MAX = 8;

  static JvmPlan broker(Budget budget) {
    return new JvmPlan(
        "broker",
        budget.growing(128 * MIB, 0.22, 16 * Budget.GIB),
        budget.growing(32 * MIB, 0.01, 256 * MIB),
        budget.growing(40 * MIB, 0.01, 128 * MIB),
        budget.processors());
  }

  static JvmPlan proxy(Budget budget) {
    return new JvmPlan(
        "proxy",
        budget.growing(64 * MIB, 0.04, 2 * Budget.GIB),
        budget.growing(16 * MIB, 0.01, 256 * MIB),
        budget.growing(32 * MIB, 0.01, 96 * MIB),
        budget.processors());
  }

  static JvmPlan state(Budget budget) {
    return new JvmPlan(
        "state", budget.growing(48 * MIB, 0.01, 256 * MIB), 8 * MIB, 24 * MIB, budget.processors());
  }

  /** The most that this process should come to hold. */
  long ceilingBytes() {
    return heapBytes
        + directBytes
        + codeCacheBytes
        + UNBOUNDED_BYTES
        + (long) (heapBytes * COLLECTOR_SHARE);
  }

  boolean isSerial() {
    return processors <= 1 || heapBytes <= SERIAL_HEAP_MAX;
  }

  /** The flags, each as one argument of {@code java}. */
  List<Setting> flags() {
    var flags = new ArrayList<Setting>();
    add(flags, "-Xmx", mib(heapBytes), "the heap's ceiling: " + name + "'s part of the memory");
    add(
        flags,
        "-Xms",
        mib(Math.min(heapBytes, Math.max(heapBytes / 4, 32 * MIB))),
        "starts small, so that an idle cell stays small, and needs no growing at once");
    add(
        flags,
        "-XX:MaxDirectMemorySize=",
        mib(directBytes),
        "network and compression buffers; without a limit it would equal the heap");
    add(
        flags,
        "-XX:ReservedCodeCacheSize=",
        mib(codeCacheBytes),
        "enough for a service of this size; the default of 240 MiB would count against the cap");
    add(flags, "-Xss", "512k", "no deep recursion here; requests run on virtual threads");
    add(
        flags,
        "-XX:ActiveProcessorCount=",
        Integer.toString(processors),
        "the cell's CPUs, not the machine's: sizes every pool of the JVM and of libraries");
    addCollector(flags);
    if (name.equals("state")) {
      addQuickCompiler(flags, "rarely called: saves the CPU and memory of the optimising compiler");
    } else if (name.equals("broker") && processors <= 1) {
      addQuickCompiler(
          flags,
          "one CPU: the optimising compiler would take half of it for a minute after each start, and"
              + " gains a broker little");
    }
    add(
        flags,
        "-XX:+UseCompactObjectHeaders",
        "",
        "8 bytes less per object; millions of lanes are millions of objects");
    add(
        flags,
        "-XX:+ExitOnOutOfMemoryError",
        "",
        "a service that ran out of memory is restarted, not kept half alive");
    add(flags, "-XX:-UsePerfData", "", "its mapped file makes a pause wait for the disk");
    return List.copyOf(flags);
  }

  private static void addQuickCompiler(List<Setting> flags, String reason) {
    add(flags, "-XX:TieredStopAtLevel=1", "", reason);
  }

  private void addCollector(List<Setting> flags) {
    if (isSerial()) {
      add(
          flags,
          "-XX:+UseSerialGC",
          "",
          processors <= 1
              ? "one CPU: parallel collection would only spend the quota faster"
              : "a small heap: one thread collects it in milliseconds, without barriers");
      return;
    }
    int threads = Math.min(processors, COLLECTOR_THREADS_MAX);
    add(
        flags,
        "-XX:+UseG1GC",
        "",
        "more than one CPU and a heap too large for one thread's pauses");
    add(
        flags,
        "-XX:ParallelGCThreads=",
        Integer.toString(threads),
        "a burst of more threads than CPUs spends a quota period and stops everything");
    add(
        flags,
        "-XX:ConcGCThreads=",
        Integer.toString(Math.max(1, threads / 4)),
        "marking runs beside the service: a quarter of the CPUs at most");
    add(flags, "-XX:MaxGCPauseMillis=", "50", "well below the latency that a client notices");
  }

  private static void add(List<Setting> flags, String flag, String value, String reason) {
    flags.add(new Setting(flag, value, reason));
  }

  private static String mib(long bytes) {
    return bytes / MIB + "m";
  }
}
