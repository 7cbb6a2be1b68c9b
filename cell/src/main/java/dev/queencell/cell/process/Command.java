package dev.queencell.cell.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs a short program to its end and returns what it printed. */
public final class Command {
  private static final int SHOWN_LINES_MAX = 20;

  private Command() {}

  /**
   * Runs a program with the given text on its standard input.
   *
   * @return standard output and error, mixed
   * @throws IllegalStateException when it can't be started, exits other than 0 (with its last
   *     lines) or runs longer than the deadline (it is ended then)
   */
  public static String run(List<String> command, String input, Duration deadline) {
    Path out = null;
    try {
      // A file, not a pipe: a program that leaves a child behind would keep a pipe open for ever.
      out = Files.createTempFile("queencell-command", ".out");
      var process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(out.toFile())
              .start();
      try (var stdin = process.outputWriter(StandardCharsets.UTF_8)) {
        stdin.write(input);
      } catch (IOException e) {
        // It closed its input early; its exit code says whether that matters.
      }
      if (!process.waitFor(deadline.toMillis(), TimeUnit.MILLISECONDS)) {
        process.destroyForcibly().waitFor();
        throw new IllegalStateException(
            "%s did not end within %d ms".formatted(command.getFirst(), deadline.toMillis()));
      }
      var printed = Files.readString(out);
      if (process.exitValue() != 0) {
        throw new IllegalStateException(
            "%s failed with exit code %d: %s"
                .formatted(String.join(" ", command), process.exitValue(), lastLines(printed)));
      }
      return printed;
    } catch (IOException e) {
      throw new IllegalStateException("can't run " + command.getFirst() + ": " + e, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while running " + command.getFirst(), e);
    } finally {
      deleteQuietly(out);
    }
  }

  /** The end of a longer text, enough to see what went wrong. */
  public static String lastLines(String text) {
    var lines = text.lines().toList();
    return String.join(
        "\n", lines.subList(Math.max(0, lines.size() - SHOWN_LINES_MAX), lines.size()));
  }

  private static void deleteQuietly(Path file) {
    if (file == null) {
      return;
    }
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      // A left-over file in the temporary folder hides nothing that matters.
    }
  }
}
