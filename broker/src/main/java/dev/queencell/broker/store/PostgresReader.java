package dev.queencell.broker.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads what PostgreSQL tells of itself. Not thread-safe: one per session. */
public final class PostgresReader {
  private final Connection session;

  public PostgresReader(Connection session) {
    this.session = session;
  }

  /** The database in numbers: one row. */
  public Map<String, Object> database() throws SQLException {
    return rows("postgres_database").getFirst();
  }

  /** The broker's tables, largest first. */
  public List<Map<String, Object>> tables() throws SQLException {
    return rows("postgres_tables");
  }

  /** Sessions by what they do. */
  public List<Map<String, Object>> activity() throws SQLException {
    return rows("postgres_activity");
  }

  /** Settings that matter, by name. */
  public Map<String, String> settings() throws SQLException {
    var settings = new LinkedHashMap<String, String>();
    for (var row : rows("postgres_settings")) {
      settings.put((String) row.get("name"), (String) row.get("value"));
    }
    return settings;
  }

  /** All rows of a statement, columns by their names in camelCase. */
  private List<Map<String, Object>> rows(String name) throws SQLException {
    try (var query = session.prepareStatement(Sql.read(PostgresReader.class, name));
        var row = query.executeQuery()) {
      var columns = row.getMetaData();
      var found = new ArrayList<Map<String, Object>>();
      while (row.next()) {
        var values = new LinkedHashMap<String, Object>();
        for (int at = 1; at <= columns.getColumnCount(); at++) {
          values.put(camelCase(columns.getColumnLabel(at)), row.getObject(at));
        }
        found.add(values);
      }
      return found;
    }
  }

  private static String camelCase(String column) {
    var text = new StringBuilder(column.length());
    for (int at = 0; at < column.length(); at++) {
      boolean raised = at > 0 && column.charAt(at - 1) == '_';
      if (column.charAt(at) != '_') {
        text.append(raised ? Character.toUpperCase(column.charAt(at)) : column.charAt(at));
      }
    }
    return text.toString();
  }
}
