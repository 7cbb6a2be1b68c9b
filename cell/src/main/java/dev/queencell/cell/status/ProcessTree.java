package dev.queencell.cell.status;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A process and all that it started, taken together: PostgreSQL is a process per session.
 *
 * @param cpuMicros processor time so far
 * @param residentBytes memory in use, pages shared between them counted once; 0 where this user may
 *     not see it
 */
record ProcessTree(long cpuMicros, long residentBytes) {
  private static final String PROPORTIONAL = "Pss:";
  private static final String RESIDENT = "VmRSS:";

  static ProcessTree read(Path proc, long pid) {
    if (pid <= 0) {
      return new ProcessTree(0, 0);
    }
    var pids =
        Stream.concat(
                Stream.of(pid),
                ProcessHandle.of(pid).stream()
                    .flatMap(ProcessHandle::descendants)
                    .map(ProcessHandle::pid))
            .toList();
    long cpuMicros = 0;
    long residentBytes = 0;
    for (long one : pids) {
      cpuMicros += ProcessStat.read(proc, one).map(ProcessStat::cpuMicros).orElse(0L);
      residentBytes += residentBytes(proc.resolve(Long.toString(one)));
    }
    return new ProcessTree(cpuMicros, residentBytes);
  }

  private static long residentBytes(Path folder) {
    // An old kernel has no sum of the proportional sizes; what is resident is the next best.
    return kibibytes(folder.resolve("smaps_rollup"), PROPORTIONAL)
        .or(() -> kibibytes(folder.resolve("status"), RESIDENT))
        .map(size -> size * 1024)
        .orElse(0L);
  }

  private static Optional<Long> kibibytes(Path file, String key) {
    try (var lines = Files.lines(file)) {
      return lines
          .filter(line -> line.startsWith(key))
          .map(line -> Long.parseLong(line.substring(key.length()).replace("kB", "").strip()))
          .findFirst();
    } catch (IOException | java.io.UncheckedIOException e) {
      return Optional.empty();
    }
  }
}
