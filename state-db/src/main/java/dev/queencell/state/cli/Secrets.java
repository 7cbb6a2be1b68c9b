package dev.queencell.state.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Secrets come from files: the words of a command are everybody's to read. */
final class Secrets {
  private Secrets() {}

  /** The first line of a file. */
  static String read(String file) {
    try {
      var lines = Files.readAllLines(Path.of(file));
      if (!lines.isEmpty() && !lines.getFirst().isBlank()) {
        return lines.getFirst().strip();
      }
    } catch (IOException e) {
      throw new CommandException("can't read %s: %s".formatted(file, e));
    }
    throw new CommandException("%s is empty".formatted(file));
  }
}
