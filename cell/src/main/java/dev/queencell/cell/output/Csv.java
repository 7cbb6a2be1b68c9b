package dev.queencell.cell.output;

import java.util.List;
import java.util.stream.Collectors;

/** Comma-separated values as in RFC 4180, with line feeds. */
public final class Csv {
  private Csv() {}

  /** One line with its line feed; a null value is empty. */
  public static String line(List<?> values) {
    return values.stream().map(Csv::field).collect(Collectors.joining(",", "", "\n"));
  }

  private static String field(Object value) {
    if (value == null) {
      return "";
    }
    var text = value.toString();
    boolean plain =
        text.indexOf(',') < 0
            && text.indexOf('"') < 0
            && text.indexOf('\n') < 0
            && text.indexOf('\r') < 0;
    return plain ? text : '"' + text.replace("\"", "\"\"") + '"';
  }
}
