package dev.queencell.broker.maintenance;

import java.sql.SQLException;

/** Where the switches are kept, for all brokers of a database. Used by one thread at a time. */
public interface Switches extends AutoCloseable {
  /** Both of them. */
  record State(boolean push, boolean pop) {}

  State read() throws SQLException;

  /** Changes one of them, durably. */
  void write(Kind kind, boolean enabled) throws SQLException;

  @Override
  void close();

  /** What can be paused. */
  enum Kind {
    PUSH("push"),
    POP("pop");

    final String rowName;

    Kind(String rowName) {
      this.rowName = rowName;
    }
  }
}
