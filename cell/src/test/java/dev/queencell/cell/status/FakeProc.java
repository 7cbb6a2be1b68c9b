package dev.queencell.cell.status;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A folder that reads like {@code /proc}. */
final class FakeProc {
  private final Path root;

  FakeProc(Path root) {
    this.root = root;
  }

  Path root() {
    return root;
  }

  /** A process whose four processor times are 1, 2, 4 and 8 times {@code cpuTicks}. */
  FakeProc process(long pid, String command, char state, long cpuTicks, long startTicks)
      throws IOException {
    var folder = Files.createDirectories(root.resolve(Long.toString(pid)));
    Files.writeString(
        folder.resolve("stat"),
        "%d (%s) %c 1 1 1 0 -1 4194560 10 20 30 40 %d %d %d %d 20 0 1 0 %d 1000 200\n"
            .formatted(
                pid,
                command,
                state,
                cpuTicks,
                2 * cpuTicks,
                4 * cpuTicks,
                8 * cpuTicks,
                startTicks));
    return this;
  }
}
