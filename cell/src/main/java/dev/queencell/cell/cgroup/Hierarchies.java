package dev.queencell.cell.cgroup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Where this machine's control groups are mounted.
 *
 * @param v1 folder of each version 1 controller; several controllers may share one
 * @param v2 folder of the version 2 hierarchy; beside version 1 ones it has no controllers
 */
record Hierarchies(Map<String, Path> v1, Optional<Path> v2) {
  private static final int FOLDER_FIELD = 1;
  private static final int TYPE_FIELD = 2;
  private static final int OPTIONS_FIELD = 3;

  /** The controllers that a cell uses. */
  private static final List<String> CONTROLLERS =
      List.of("cpu", "cpuacct", "memory", "pids", "blkio");

  /** Reads a file in the format of {@code /proc/self/mounts}. */
  static Hierarchies read(Path mounts) {
    var v1 = new HashMap<String, Path>();
    Optional<Path> v2 = Optional.empty();
    try {
      for (var line : Files.readAllLines(mounts)) {
        var fields = line.split(" ", -1);
        if (fields.length > OPTIONS_FIELD) {
          var folder = Path.of(fields[FOLDER_FIELD].replace("\\040", " "));
          if (fields[TYPE_FIELD].equals("cgroup2")) {
            v2 = v2.or(() -> Optional.of(folder));
          } else if (fields[TYPE_FIELD].equals("cgroup")) {
            var options = Arrays.asList(fields[OPTIONS_FIELD].split(",", -1));
            CONTROLLERS.stream()
                .filter(options::contains)
                .forEach(controller -> v1.putIfAbsent(controller, folder));
          }
        }
      }
    } catch (IOException e) {
      throw new IllegalStateException("can't read " + mounts + ": " + e, e);
    }
    return new Hierarchies(Map.copyOf(v1), v2);
  }
}
