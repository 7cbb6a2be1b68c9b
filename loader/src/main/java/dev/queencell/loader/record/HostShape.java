package dev.queencell.loader.record;

import dev.queencell.loader.measure.Reason;
import dev.queencell.service.Json;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import tools.jackson.databind.node.ObjectNode;

/** The machine that a run happened on, as the kernel tells it and as its disk was measured. */
public final class HostShape {
  private static final int SYNC_SAMPLES = 20;
  private static final int SYNC_BLOCK_BYTES = 8192;

  private HostShape() {}

  /**
   * Reads the host's shape; takes some tens of ms for the disk.
   *
   * @param directory where the disk's sync time is measured
   */
  public static ObjectNode read(Path directory) {
    var system =
        ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class);
    var shape = Json.object();
    shape.put("cpuModel", fromProc("/proc/cpuinfo", "model name"));
    shape.put("cores", system.getAvailableProcessors());
    shape.put("memoryBytes", memoryBytes());
    shape.put("kernel", System.getProperty("os.name") + " " + System.getProperty("os.version"));
    shape.put("architecture", System.getProperty("os.arch"));
    shape.put("loadAverage", system.getSystemLoadAverage());
    shape.set("cgroup", Cgroup.ofThisProcess().describe());
    shape.set("diskSync", diskSync(directory));
    return shape;
  }

  private static String fromProc(String file, String key) {
    try (var lines = Files.lines(Path.of(file))) {
      return lines
          .filter(l -> l.startsWith(key))
          .map(l -> l.substring(l.indexOf(':') + 1).strip())
          .findFirst()
          .orElse(null);
    } catch (IOException | java.io.UncheckedIOException e) {
      return null;
    }
  }

  private static Long memoryBytes() {
    var total = fromProc("/proc/meminfo", "MemTotal");
    return total == null ? null : Long.parseLong(total.replaceAll("\\D", "")) * 1024;
  }

  /** Times writes of one block each, forced to the disk as PostgreSQL's log is. */
  private static ObjectNode diskSync(Path directory) {
    var result = Json.object().put("directory", directory.toAbsolutePath().toString());
    var file = directory.resolve(".sync-probe-" + ProcessHandle.current().pid());
    var nanos = new long[SYNC_SAMPLES];
    try (var channel =
        FileChannel.open(
            file,
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.WRITE,
            StandardOpenOption.DELETE_ON_CLOSE)) {
      for (int i = 0; i < SYNC_SAMPLES; i++) {
        long start = System.nanoTime();
        channel.write(ByteBuffer.allocate(SYNC_BLOCK_BYTES));
        channel.force(false);
        nanos[i] = System.nanoTime() - start;
      }
    } catch (IOException e) {
      return result.put("error", Reason.of(e));
    }
    Arrays.sort(nanos);
    return result
        .put("samples", SYNC_SAMPLES)
        .put("medianMs", nanos[SYNC_SAMPLES / 2] / 1e6)
        .put("maxMs", nanos[SYNC_SAMPLES - 1] / 1e6);
  }
}
