package dev.queencell.cell.output;

import java.util.ArrayList;
import java.util.List;

/**
 * A table for a terminal: columns as wide as their widest cell, numbers to the right, no trailing
 * blanks. Not thread-safe.
 */
public final class TextTable {
  private static final String GAP = "  ";

  private final List<String> header;
  private final List<List<String>> rows = new ArrayList<>();

  public TextTable(String... header) {
    this.header = List.of(header);
  }

  /**
   * Adds a row; a null cell prints empty.
   *
   * @throws IllegalArgumentException when the number of cells differs from the header's
   */
  public TextTable row(Object... cells) {
    if (cells.length != header.size()) {
      throw new IllegalArgumentException(
          "row has %d cells, the header %d".formatted(cells.length, header.size()));
    }
    var row = new ArrayList<String>(cells.length);
    for (var cell : cells) {
      row.add(cell == null ? "" : cell.toString());
    }
    rows.add(List.copyOf(row));
    return this;
  }

  /** The table, each line ended by a line feed. */
  public String render() {
    var text = new StringBuilder();
    appendLine(text, header);
    for (var row : rows) {
      appendLine(text, row);
    }
    return text.toString();
  }

  private void appendLine(StringBuilder text, List<String> cells) {
    int start = text.length();
    for (int column = 0; column < cells.size(); column++) {
      var cell = cells.get(column);
      var blanks = " ".repeat(width(column) - cell.length());
      text.append(column == 0 ? "" : GAP);
      text.append(isNumeric(column) ? blanks + cell : cell + blanks);
    }
    int end = text.length();
    while (end > start && text.charAt(end - 1) == ' ') {
      end--;
    }
    text.setLength(end);
    text.append('\n');
  }

  private int width(int column) {
    int width = header.get(column).length();
    for (var row : rows) {
      width = Math.max(width, row.get(column).length());
    }
    return width;
  }

  private boolean isNumeric(int column) {
    boolean any = false;
    for (var row : rows) {
      var cell = row.get(column);
      if (!cell.isEmpty()) {
        any = true;
        if (!cell.matches("[+-]?[0-9][0-9.,]*%?")) {
          return false;
        }
      }
    }
    return any;
  }
}
