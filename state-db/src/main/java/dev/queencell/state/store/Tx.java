package dev.queencell.state.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * One running transaction. Every value goes in as a parameter; a {@code String[]}, {@code UUID[]}
 * or {@code Long[]} is sent as an array. Not thread-safe; dead once its transaction has ended.
 */
public final class Tx {
  private final Connection connection;

  Tx(Connection connection) {
    this.connection = connection;
  }

  /** The only row, or none. */
  public <T> Optional<T> one(String sql, Row.Reader<T> reader, Object... parameters)
      throws SQLException {
    var rows = list(sql, reader, parameters);
    if (rows.size() > 1) {
      throw new IllegalStateException("more than one row where one was expected: " + sql);
    }
    return rows.isEmpty() ? Optional.empty() : Optional.of(rows.getFirst());
  }

  /** All rows, in the order that the statement gives. */
  public <T> List<T> list(String sql, Row.Reader<T> reader, Object... parameters)
      throws SQLException {
    try (var statement = prepare(sql, parameters);
        var result = statement.executeQuery()) {
      var rows = new ArrayList<T>();
      var row = new Row(result);
      while (result.next()) {
        rows.add(reader.read(row));
      }
      return rows;
    }
  }

  /** Runs a statement that changes rows; answers how many. */
  public int change(String sql, Object... parameters) throws SQLException {
    try (var statement = prepare(sql, parameters)) {
      return statement.executeUpdate();
    }
  }

  /** Runs a statement only for its effect, such as taking a lock. */
  public void run(String sql, Object... parameters) throws SQLException {
    try (var statement = prepare(sql, parameters)) {
      statement.execute();
    }
  }

  private PreparedStatement prepare(String sql, Object... parameters) throws SQLException {
    var statement = connection.prepareStatement(sql);
    try {
      for (int i = 0; i < parameters.length; i++) {
        bind(statement, i + 1, parameters[i]);
      }
      return statement;
    } catch (SQLException e) {
      statement.close();
      throw e;
    }
  }

  private void bind(PreparedStatement statement, int index, Object value) throws SQLException {
    switch (value) {
      case String[] texts -> statement.setArray(index, connection.createArrayOf("text", texts));
      case UUID[] ids -> statement.setArray(index, connection.createArrayOf("uuid", ids));
      case Long[] numbers -> statement.setArray(index, connection.createArrayOf("bigint", numbers));
      case null, default -> statement.setObject(index, value);
    }
  }
}
