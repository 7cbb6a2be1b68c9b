package dev.queencell.state.store;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** The current row of a result, read by column name. Valid only inside its {@link Reader}. */
public final class Row {
  /** Turns one row into a value. */
  @FunctionalInterface
  public interface Reader<T> {
    T read(Row row) throws SQLException;
  }

  private final ResultSet result;

  Row(ResultSet result) {
    this.result = result;
  }

  public String text(String column) throws SQLException {
    return result.getString(column);
  }

  public UUID uuid(String column) throws SQLException {
    return result.getObject(column, UUID.class);
  }

  public boolean flag(String column) throws SQLException {
    return result.getBoolean(column);
  }

  /** A flag, or nothing where the column is NULL. */
  public Optional<Boolean> flagIfSet(String column) throws SQLException {
    return Optional.ofNullable(result.getObject(column, Boolean.class));
  }

  public long number(String column) throws SQLException {
    return result.getLong(column);
  }

  /** A number, or null where the column is NULL. */
  public Long numberOrNull(String column) throws SQLException {
    return result.getObject(column, Long.class);
  }

  public List<String> texts(String column) throws SQLException {
    return List.of((String[]) result.getArray(column).getArray());
  }
}
