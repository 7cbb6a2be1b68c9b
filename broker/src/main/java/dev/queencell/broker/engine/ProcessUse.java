package dev.queencell.broker.engine;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/** What this process takes of the machine, as the kernel and the JVM tell. Thread-safe. */
public final class ProcessUse {
  private static final Path MEMORY = Path.of("/proc/self/statm");
  private static final Path STATUS = Path.of("/proc/self/stat");
  private static final Path HOST_NAME = Path.of("/proc/sys/kernel/hostname");
  private static final long PAGE_BYTES = 4096;

  /** Linux counts CPU time for its readers in hundredths of a second, on every machine. */
  private static final long MICROS_PER_TICK = 10_000;

  /** Fields of the status behind the program's name, which may hold blanks. */
  private static final int USER_TICKS = 11;

  private static final int SYSTEM_TICKS = 12;

  /**
   * CPU time since the start.
   *
   * @param userMicros 0 where the system does not tell; so is systemMicros
   */
  public record Cpu(long userMicros, long systemMicros) {}

  private ProcessUse() {}

  /** Resident memory; 0 where the system does not tell. */
  public static long residentBytes() {
    try {
      return Long.parseLong(Files.readString(MEMORY).split(" ", 3)[1]) * PAGE_BYTES;
    } catch (IOException | RuntimeException e) {
      return 0;
    }
  }

  public static Cpu cpu() {
    try {
      var text = Files.readString(STATUS);
      var fields = text.substring(text.lastIndexOf(')') + 2).split(" ", SYSTEM_TICKS + 2);
      return new Cpu(
          Long.parseLong(fields[USER_TICKS]) * MICROS_PER_TICK,
          Long.parseLong(fields[SYSTEM_TICKS]) * MICROS_PER_TICK);
    } catch (IOException | RuntimeException e) {
      return new Cpu(0, 0);
    }
  }

  public static long heapBytes() {
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  public static long uptimeMs() {
    return ManagementFactory.getRuntimeMXBean().getUptime();
  }

  /** The machine's name. */
  public static String hostName() {
    try {
      return Files.readString(HOST_NAME).strip();
    } catch (IOException e) {
      return "localhost";
    }
  }
}
