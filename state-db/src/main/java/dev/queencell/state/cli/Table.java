package dev.queencell.state.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/** Rows of an answer in aligned columns: numbers to the right, nothing as a dash. */
final class Table {
  private final List<String> columns;
  private final List<List<JsonNode>> rows = new ArrayList<>();

  /**
   * @param columns names of the rows' fields
   */
  Table(String... columns) {
    this.columns = List.of(columns);
  }

  /** Takes the columns' fields of each object. */
  Table of(JsonNode objects) {
    objects.forEach(object -> rows.add(columns.stream().map(name -> object.path(name)).toList()));
    return this;
  }

  @Override
  public String toString() {
    var widths = columns.stream().mapToInt(String::length).toArray();
    for (var row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], text(row.get(i)).length());
      }
    }
    var lines = new ArrayList<String>();
    var heads = new ArrayList<String>();
    for (int i = 0; i < widths.length; i++) {
      int column = i;
      boolean number = !rows.isEmpty() && rows.stream().allMatch(row -> row.get(column).isNumber());
      heads.add(padded(columns.get(i), widths[i], number));
    }
    lines.add(String.join("  ", heads).stripTrailing());
    for (var row : rows) {
      var cells = new ArrayList<String>();
      for (int i = 0; i < widths.length; i++) {
        cells.add(padded(text(row.get(i)), widths[i], row.get(i).isNumber()));
      }
      lines.add(String.join("  ", cells).stripTrailing());
    }
    return String.join("\n", lines);
  }

  private static String text(JsonNode value) {
    if (value.isMissingNode() || value.isNull()) {
      return "-";
    }
    if (value.isArray()) {
      return value.valueStream().map(Table::text).collect(Collectors.joining(","));
    }
    return value.isValueNode() ? value.asString() : value.toString();
  }

  private static String padded(String text, int width, boolean right) {
    var blanks = new char[width - text.length()];
    Arrays.fill(blanks, ' ');
    return right ? new String(blanks) + text : text + new String(blanks);
  }
}
