package dev.queencell.testsupport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class DatabasePerClassIT {
  private static final AtomicInteger SCHEMAS_MADE = new AtomicInteger();

  @RegisterExtension
  static final TestDatabase FIRST = TestDatabase.of("notes", DatabasePerClassIT::notes);

  @RegisterExtension
  static final TestDatabase SECOND = TestDatabase.of("notes", DatabasePerClassIT::notes);

  private static void notes(DataSource database) throws SQLException {
    SCHEMAS_MADE.incrementAndGet();
    try (var connection = database.getConnection();
        var sql = connection.createStatement()) {
      sql.execute("CREATE TABLE note (text text NOT NULL)");
    }
  }

  @Test
  void theSchemaIsMadeOnceAndClonesDoNotSeeEachOther() throws SQLException {
    FIRST.dataSource();
    try (var first = FIRST.connect();
        var second = SECOND.connect();
        var write = first.createStatement();
        var read = second.createStatement()) {
      write.execute("INSERT INTO note VALUES ('only here')");
      var count = read.executeQuery("SELECT count(*) FROM note");
      assertTrue(count.next());
      assertEquals(0, count.getInt(1));
    }
    assertEquals(1, SCHEMAS_MADE.get());
  }

  @Test
  void aResetGivesAnEmptySchemaUnderTheSameName() throws Exception {
    var name = FIRST.database();
    try (var connection = FIRST.connect();
        var sql = connection.createStatement()) {
      sql.execute("INSERT INTO note VALUES ('to be gone')");
    }
    FIRST.reset();
    assertEquals(name, FIRST.database());
    try (var connection = FIRST.connect();
        var sql = connection.createStatement();
        var count = sql.executeQuery("SELECT count(*) FROM note")) {
      assertTrue(count.next());
      assertEquals(0, count.getInt(1));
    }
  }

  @Test
  void beforeItsClassRunsItSaysHowItIsUsed() {
    var unregistered = TestDatabase.empty();
    var refusal = assertThrows(IllegalStateException.class, unregistered::jdbcUrl);
    assertTrue(refusal.getMessage().contains("@RegisterExtension"), refusal::getMessage);
  }

  @Test
  void anUnknownKindOfServerIsNamedWithWhatThereIs() {
    var refusal = assertThrows(IllegalStateException.class, () -> TestServer.start("oracle"));
    assertEquals(
        "-Dqueencell.pg is 'oracle'; it takes embedded or testcontainers", refusal.getMessage());
  }
}
