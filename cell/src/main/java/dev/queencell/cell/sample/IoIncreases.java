package dev.queencell.cell.sample;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a changing set of processes read from and wrote to storage, by the kernel's account of each.
 * That account ends with the process, so what one did after its last reading is lost. Nothing is
 * known of processes that this user may not look into.
 *
 * <p>Not thread-safe.
 */
final class IoIncreases {
  private Map<String, Map<String, Long>> last;

  /** What was added since the call before; nothing at the first one and where nothing is known. */
  Map<String, Long> increases(List<Long> pids, ProcFs processes) {
    var current = new HashMap<String, Map<String, Long>>();
    for (var pid : pids) {
      var io = processes.has(pid) ? processes.io(pid) : Map.<String, Long>of();
      if (!io.isEmpty()) {
        current.put(processes.generation(pid), io);
      }
    }
    var increases = new HashMap<String, Long>();
    if (last != null && !current.isEmpty()) {
      increases.put(Usage.IO_READ_BYTES, increase(current, "read_bytes"));
      increases.put(Usage.IO_WRITE_BYTES, increase(current, "write_bytes"));
    }
    last = current;
    return increases;
  }

  private long increase(Map<String, Map<String, Long>> current, String key) {
    long sum = 0;
    for (var process : current.entrySet()) {
      var before = last.getOrDefault(process.getKey(), Map.of());
      sum += process.getValue().getOrDefault(key, 0L) - before.getOrDefault(key, 0L);
    }
    return sum;
  }
}
