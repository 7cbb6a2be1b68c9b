package dev.queencell.cell.status;

import dev.queencell.cell.home.CellHome;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Optional;

/** The records of one line that the scripts keep of a unit in the home's {@code run} folder. */
record RunRecords(CellHome home) {
  /** A record's first line; empty when there is none or it can't be read. */
  Optional<String> line(String unit, String record) {
    try (var lines = Files.lines(home.folder().resolve("run").resolve(unit + "." + record))) {
      // A record is written with one write, but its file is empty for a moment before.
      return lines.findFirst().map(String::strip).filter(text -> !text.isEmpty());
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** How long the unit waits in all before it is started again; 0 when it does not wait. */
  long waitMs(String unit) {
    return line(unit, "wait")
        .filter(text -> text.matches("[0-9]{1,9}"))
        .map(Long::parseLong)
        .orElse(0L);
  }
}
