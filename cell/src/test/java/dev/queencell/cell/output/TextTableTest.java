package dev.queencell.cell.output;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class TextTableTest {
  @Test
  void columnsAreAsWideAsTheirWidestCellAndNumbersStandToTheRight() {
    var table = new TextTable("name", "bytes", "note").row("pg", 12, "x").row("broker", 1234, null);
    assertEquals(
        """
        name    bytes  note
        pg         12  x
        broker   1234
        """,
        table.render());
  }

  @Test
  void aColumnWithOneWordInItIsText() {
    assertEquals("v\n1\nmax\n", new TextTable("v").row(1).row("max").render());
  }

  @Test
  void aRowOfTheWrongLengthIsRefused() {
    assertThrows(IllegalArgumentException.class, () -> new TextTable("a", "b").row("only one"));
  }
}
