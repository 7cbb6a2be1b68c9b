package dev.queencell.broker.maintenance;

import dev.queencell.broker.store.Database;
import dev.queencell.broker.store.Sql;
import java.sql.Connection;
import java.sql.SQLException;

/** The switches in the table {@code queen.maintenance}, over one session that is kept. */
public final class DatabaseSwitches implements Switches {
  private static final int TIMEOUT_SECONDS = 5;

  private final Database database;
  private Connection session;

  public DatabaseSwitches(Database database) {
    this.database = database;
  }

  @Override
  public State read() throws SQLException {
    try (var statement = session().createStatement();
        var rows = statement.executeQuery(Sql.read(DatabaseSwitches.class, "read_switches"))) {
      boolean push = false;
      boolean pop = false;
      while (rows.next()) {
        boolean enabled = rows.getBoolean("enabled");
        if (rows.getString("name").equals(Kind.PUSH.rowName)) {
          push = enabled;
        } else {
          pop = enabled;
        }
      }
      return new State(push, pop);
    } catch (SQLException e) {
      close();
      throw e;
    }
  }

  @Override
  public void write(Kind kind, boolean enabled) throws SQLException {
    try (var statement =
        session().prepareStatement(Sql.read(DatabaseSwitches.class, "write_switch"))) {
      statement.setBoolean(1, enabled);
      statement.setString(2, kind.rowName);
      statement.executeUpdate();
    } catch (SQLException e) {
      close();
      throw e;
    }
  }

  private Connection session() throws SQLException {
    if (session == null) {
      session = database.open("maintenance", TIMEOUT_SECONDS);
    }
    return session;
  }

  @Override
  public void close() {
    try {
      if (session != null) {
        session.close();
      }
    } catch (SQLException e) {
      // It was gone already.
      return;
    } finally {
      session = null;
    }
  }
}
