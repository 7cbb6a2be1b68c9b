package dev.queencell.cell.sample;

import dev.queencell.cell.output.Csv;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A CSV file of the record: a header, then one line per row, RFC 4180 quoting. Reading goes by
 * column name, so that a later version may add columns; a line that was cut short by a crash is
 * left out.
 */
public final class CsvFile {
  private CsvFile() {}

  /** Appends rows to one file and flushes each, so that a crash costs at most the row in hand. */
  static final class Writer implements AutoCloseable {
    private final BufferedWriter out;
    private final int columns;

    Writer(Path file, List<String> header) throws IOException {
      this.out = Files.newBufferedWriter(file);
      this.columns = header.size();
      row(header);
    }

    void row(List<String> cells) throws IOException {
      if (cells.size() != columns) {
        throw new IllegalArgumentException(
            "row has %d cells, the header %d".formatted(cells.size(), columns));
      }
      // One line is one row: a line break inside a cell would be one too many for every reader.
      out.write(Csv.line(cells.stream().map(cell -> cell.replace('\n', ' ')).toList()));
      out.flush();
    }

    @Override
    public void close() throws IOException {
      out.close();
    }
  }

  /**
   * Reads a whole file.
   *
   * @return one map per complete line, by the header's names; nothing when there is no such file
   */
  public static List<Map<String, String>> read(Path file) throws IOException {
    if (!Files.exists(file)) {
      return List.of();
    }
    return parse(Files.readAllLines(file));
  }

  /**
   * Reads the end of a file that may be long.
   *
   * @param bytes how much of it at most; the line that this cuts is left out
   */
  public static List<Map<String, String>> readTail(Path file, int bytes) throws IOException {
    if (!Files.exists(file)) {
      return List.of();
    }
    try (var in = new RandomAccessFile(file.toFile(), "r")) {
      var header = in.readLine();
      if (header == null) {
        return List.of();
      }
      long from = in.length() - bytes;
      boolean cut = from > in.getFilePointer();
      if (cut) {
        in.seek(from);
      }
      var rest = new byte[(int) (in.length() - in.getFilePointer())];
      in.readFully(rest);
      var lines = new ArrayList<String>(List.of(header));
      var text = new String(rest, StandardCharsets.UTF_8);
      // What follows the last line break is still being written.
      text.substring(0, text.lastIndexOf('\n') + 1).lines().skip(cut ? 1 : 0).forEach(lines::add);
      return parse(lines);
    }
  }

  static List<Map<String, String>> parse(List<String> lines) {
    var rows = new ArrayList<Map<String, String>>();
    if (lines.isEmpty()) {
      return rows;
    }
    var header = cells(lines.getFirst());
    for (var line : lines.subList(1, lines.size())) {
      var cells = cells(line);
      if (cells.size() == header.size()) {
        var row = new HashMap<String, String>();
        for (int i = 0; i < cells.size(); i++) {
          row.put(header.get(i), cells.get(i));
        }
        rows.add(row);
      }
    }
    return rows;
  }

  private static List<String> cells(String line) {
    var cells = new ArrayList<String>();
    var cell = new StringBuilder();
    boolean quoted = false;
    for (int i = 0; i < line.length(); i++) {
      char c = line.charAt(i);
      if (quoted && c == '"' && i + 1 < line.length() && line.charAt(i + 1) == '"') {
        cell.append('"');
        i++;
      } else if (c == '"') {
        quoted = !quoted;
      } else if (c == ',' && !quoted) {
        cells.add(cell.toString());
        cell.setLength(0);
      } else {
        cell.append(c);
      }
    }
    cells.add(cell.toString());
    return cells;
  }
}
