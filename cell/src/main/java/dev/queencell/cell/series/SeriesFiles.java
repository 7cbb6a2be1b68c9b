package dev.queencell.cell.series;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Writes what belongs to a whole series. */
final class SeriesFiles {
  private SeriesFiles() {}

  /** At once or not at all: a report may be reading the file. */
  static void replace(Path file, String text) throws IOException {
    var draft = file.resolveSibling(file.getFileName() + ".draft");
    Files.writeString(draft, text);
    Files.move(draft, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
  }
}
