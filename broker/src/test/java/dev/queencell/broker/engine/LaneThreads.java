package dev.queencell.broker.engine;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Objects;

/** What the threads of commit lanes have used: a measure of work that no busy machine changes. */
final class LaneThreads {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private LaneThreads() {}

  /** Heap that all of them have allocated, ended ones left out. */
  static long allocatedBytes() {
    var lanes =
        Arrays.stream(THREADS.getThreadInfo(THREADS.getAllThreadIds()))
            .filter(Objects::nonNull)
            .filter(info -> info.getThreadName().startsWith("lane-"))
            .mapToLong(info -> THREADS.getThreadAllocatedBytes(info.getThreadId()))
            .toArray();
    assertTrue(lanes.length > 0, "lanes were found");
    return Arrays.stream(lanes).sum();
  }
}
