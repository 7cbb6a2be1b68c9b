package dev.queencell.cell.sql;

import dev.queencell.cell.output.Csv;
import dev.queencell.cell.output.Json;
import dev.queencell.cell.output.TextTable;
import java.io.PrintWriter;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.node.ObjectNode;

/** Prints a query's rows in one of the formats of {@link SqlCommand}. */
final class ResultPrinter {
  /** A table is aligned, so it has to be held whole; nobody reads a longer one. */
  private static final int TABLE_ROWS_MAX = 1000;

  private ResultPrinter() {}

  static void table(ResultSet rows, PrintWriter out) throws SQLException {
    var table = new TextTable(names(rows).toArray(String[]::new));
    int count = 0;
    boolean more = false;
    while (!more && rows.next()) {
      if (count == TABLE_ROWS_MAX) {
        more = true;
      } else {
        table.row(texts(rows).toArray());
        count++;
      }
    }
    out.print(table.render());
    var rowsText = count == 1 ? "1 row" : count + " rows";
    out.println(more ? "(the first " + rowsText + ")" : "(" + rowsText + ")");
  }

  static void csv(ResultSet rows, PrintWriter out) throws SQLException {
    out.print(Csv.line(names(rows)));
    while (rows.next()) {
      out.print(Csv.line(texts(rows)));
    }
  }

  static void values(ResultSet rows, PrintWriter out) throws SQLException {
    while (rows.next()) {
      out.println(
          String.join("\t", texts(rows).stream().map(text -> text == null ? "" : text).toList()));
    }
  }

  static void json(ResultSet rows, PrintWriter out) throws SQLException {
    var names = names(rows);
    out.print('[');
    for (boolean first = true; rows.next(); first = false) {
      var row = Json.object();
      for (int column = 1; column <= names.size(); column++) {
        put(row, names.get(column - 1), rows.getObject(column));
      }
      out.print(first ? "\n" : ",\n");
      out.print(row);
    }
    out.println("]");
  }

  private static void put(ObjectNode row, String name, Object value) {
    switch (value) {
      case null -> row.putNull(name);
      case Boolean truth -> row.put(name, truth);
      case Integer number -> row.put(name, number);
      case Long number -> row.put(name, number);
      case Double number when Double.isFinite(number) -> row.put(name, number);
      case BigDecimal number -> row.put(name, number);
      default -> row.put(name, value.toString());
    }
  }

  private static List<String> names(ResultSet rows) throws SQLException {
    var meta = rows.getMetaData();
    var names = new ArrayList<String>();
    for (int column = 1; column <= meta.getColumnCount(); column++) {
      names.add(meta.getColumnLabel(column));
    }
    return names;
  }

  private static List<String> texts(ResultSet rows) throws SQLException {
    var texts = new ArrayList<String>();
    int columns = rows.getMetaData().getColumnCount();
    for (int column = 1; column <= columns; column++) {
      texts.add(rows.getString(column));
    }
    return texts;
  }
}
