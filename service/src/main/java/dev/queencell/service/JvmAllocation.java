package dev.queencell.service;

import java.lang.management.ManagementFactory;

/** What this JVM has allocated on its heap. Thread-safe. */
public final class JvmAllocation {
  private JvmAllocation() {}

  /** Bytes since the start, by all threads, those that have ended included; -1 when not counted. */
  public static long totalBytes() {
    return ManagementFactory.getPlatformMXBean(com.sun.management.ThreadMXBean.class)
        .getTotalThreadAllocatedBytes();
  }
}
