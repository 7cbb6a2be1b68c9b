package dev.queencell.loader.measure;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;

/**
 * What this process has used up to an instant.
 *
 * @param cpuNanos CPU time of all its threads, the collector's included
 * @param gcMs time in which the collector stopped it
 */
public record Usage(long nanoTime, long cpuNanos, long gcMs, long gcCount) {
  private static final OperatingSystemMXBean SYSTEM =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  /** Reads the process's counters. */
  public static Usage now() {
    long ms = 0;
    long count = 0;
    for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
      // Concurrent phases run beside the program; they show up as CPU, not as pauses.
      if (!collector.getName().contains("Concurrent") && !collector.getName().contains("Cycles")) {
        ms += Math.max(0, collector.getCollectionTime());
        count += Math.max(0, collector.getCollectionCount());
      }
    }
    return new Usage(System.nanoTime(), SYSTEM.getProcessCpuTime(), ms, count);
  }

  /** Cores in use between the earlier reading and this one. */
  public double coresSince(Usage earlier) {
    long elapsed = nanoTime - earlier.nanoTime;
    return elapsed <= 0 ? 0 : (cpuNanos - earlier.cpuNanos) / (double) elapsed;
  }
}
