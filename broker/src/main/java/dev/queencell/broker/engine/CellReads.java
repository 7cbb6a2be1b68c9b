package dev.queencell.broker.engine;

import dev.queencell.broker.store.Database;
import dev.queencell.broker.store.ReadSessions;
import java.sql.SQLException;

/**
 * Reads that run on the request's thread, beside the lanes. A database that is away makes the
 * engine unavailable; a read that fails otherwise is a fault. Thread-safe.
 */
final class CellReads implements AutoCloseable {
  private final ReadSessions sessions;

  CellReads(Database database) {
    this.sessions = new ReadSessions(database);
  }

  <T> T read(ReadSessions.Reading<T> reading) {
    try {
      return sessions.read(reading);
    } catch (SQLException e) {
      if (Database.sessionLost(e)) {
        throw new EngineUnavailableException("the database does not answer", null);
      }
      throw new IllegalStateException("a read failed", e);
    }
  }

  ReadSessions sessions() {
    return sessions;
  }

  @Override
  public void close() {
    sessions.close();
  }
}
