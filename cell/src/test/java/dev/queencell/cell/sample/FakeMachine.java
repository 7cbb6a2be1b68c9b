package dev.queencell.cell.sample;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;

/** A {@code /proc} that a test writes. */
final class FakeMachine {
  private final Path proc;

  FakeMachine(Path proc) throws IOException {
    this.proc = Files.createDirectory(proc);
  }

  Path proc() {
    return proc;
  }

  /** A process whose name has the characters that make the line hard to read. */
  void process(long pid, long parent, long ticks, long startTicks) throws IOException {
    process(pid, parent, ticks, 0, startTicks);
  }

  void process(long pid, long parent, long ticks, long childrenTicks, long startTicks)
      throws IOException {
    file(
        pid,
        "stat",
        "%d (a) (b c) S %d 1 1 0 -1 0 0 0 0 0 %d 0 %d 0 20 0 1 0 %d 0 0\n"
            .formatted(pid, parent, ticks, childrenTicks, startTicks));
  }

  void arguments(long pid, String... arguments) throws IOException {
    file(pid, "cmdline", String.join("\0", arguments) + "\0");
  }

  /** CPU time of all CPUs together: what ran, what was stolen, what idled. */
  void machine(long busyTicks, long stolenTicks, long idleTicks) throws IOException {
    Files.writeString(
        proc.resolve("stat"),
        "cpu  %d 0 0 %d 7 0 0 %d 0 0\ncpu0 1 1 1 1\n".formatted(busyTicks, idleTicks, stolenTicks));
  }

  void status(long pid, long anonKb, long fileKb, long sharedKb) throws IOException {
    file(
        pid,
        "status",
        "Name:\tx\nRssAnon:\t%d kB\nRssFile:\t%d kB\nRssShmem:\t%d kB\n"
            .formatted(anonKb, fileKb, sharedKb));
  }

  void io(long pid, long readBytes, long writeBytes) throws IOException {
    file(pid, "io", "rchar: 1\nread_bytes: %d\nwrite_bytes: %d\n".formatted(readBytes, writeBytes));
  }

  void remove(long pid) throws IOException {
    try (var files = Files.walk(proc.resolve(Long.toString(pid)))) {
      for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  private void file(long pid, String name, String text) throws IOException {
    Files.writeString(
        Files.createDirectories(proc.resolve(Long.toString(pid))).resolve(name), text);
  }
}
