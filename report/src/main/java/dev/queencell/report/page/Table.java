package dev.queencell.report.page;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A table, for either page.
 *
 * @param columns their heads
 * @param rows as many cells each as there are columns
 */
record Table(List<Column> columns, List<Row> rows) {
  /**
   * A column.
   *
   * @param number whether it is aligned at its right end
   */
  record Column(String name, boolean number) {
    static Column text(String name) {
      return new Column(name, false);
    }

    static Column number(String name) {
      return new Column(name, true);
    }
  }

  /** A line; the template asks for the cells with their column's alignment. */
  record Row(List<Cell> cells) {}

  /** What stands in a cell. */
  record Cell(String text, boolean number, boolean first) {
    private static final int LINE_MAX_CHARS = 80;

    /** Whether it needs several lines. */
    boolean isLong() {
      return text.length() > LINE_MAX_CHARS;
    }

    /** Its words, for a page that breaks no line within one ({@code -Xmx1g}). */
    List<String> words() {
      return Arrays.asList(text.split(" ", -1));
    }
  }

  static Table of(Column... columns) {
    return new Table(List.of(columns), new ArrayList<>());
  }

  void row(String... texts) {
    if (texts.length != columns.size()) {
      throw new IllegalArgumentException(
          "row has %d cells, the table %d columns".formatted(texts.length, columns.size()));
    }
    var cells = new ArrayList<Cell>();
    for (int i = 0; i < texts.length; i++) {
      cells.add(new Cell(texts[i], columns.get(i).number(), i == 0));
    }
    rows.add(new Row(cells));
  }

  boolean isEmpty() {
    return rows.isEmpty();
  }
}
