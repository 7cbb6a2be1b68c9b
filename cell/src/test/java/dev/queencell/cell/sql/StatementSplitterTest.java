package dev.queencell.cell.sql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StatementSplitterTest {
  private final StatementSplitter splitter = new StatementSplitter();

  @Test
  void statementsEndAtSemicolonsAndBlankOnesAreNone() {
    assertEquals(List.of("SELECT 1", "SELECT 2"), splitter.add("SELECT 1; ;\n SELECT 2;"));
    assertEquals(List.of(), splitter.end());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT ';'",
        "SELECT 'it''s; fine'",
        "SELECT E'\\';'",
        "SELECT E'a''\\';'",
        "SELECT '\\' AS \"odd;name\"",
        "SELECT 1 -- no; end\n + 1",
        "SELECT /* a; /* nested; */ b; */ 1",
        "DO $$ BEGIN PERFORM 1; END $$",
        "DO $body$ SELECT $$;$$; $body$",
        "SELECT a$b, $1"
      })
  void aSemicolonInsideOfAQuoteOrCommentEndsNothing(String statement) {
    assertEquals(List.of(statement, "SELECT 2"), splitter.add(statement + "; SELECT 2;"));
  }

  @Test
  void aStatementMayArriveInPieces() {
    assertEquals(List.of(), splitter.add("SELECT $$ first;\n"));
    assertTrue(splitter.isInside());
    assertEquals(List.of("SELECT $$ first;\nsecond; $$"), splitter.add("second; $$;\n"));
    assertFalse(splitter.isInside());
  }

  @Test
  void theLastStatementNeedsNoSemicolon() {
    assertEquals(List.of(), splitter.add("SELECT 1\n"));
    assertEquals(List.of("SELECT 1"), splitter.end());
  }
}
