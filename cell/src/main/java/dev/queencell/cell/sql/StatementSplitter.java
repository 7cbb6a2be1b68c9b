package dev.queencell.cell.sql;

import java.util.ArrayList;
import java.util.List;

/**
 * Cuts text into statements at the semicolons that end one: not those in quotes, dollar quotes or
 * comments (PostgreSQL manual, 4.1 Lexical Structure). Fed piece by piece; what is unfinished waits
 * for more. Not thread-safe.
 */
final class StatementSplitter {
  private final StringBuilder pending = new StringBuilder();
  private int scanned;

  /** What ends the quote or comment that the scan is in; null outside of both. */
  private String closing;

  private int commentDepth;

  /** Whether a backslash means something in this quote: only in {@code E'…'}. */
  private boolean escapes;

  /** Adds text and returns the statements that are complete with it, without their semicolons. */
  List<String> add(String text) {
    pending.append(text);
    var complete = new ArrayList<String>();
    while (scanned < pending.length()) {
      if (closing == null && pending.charAt(scanned) == ';') {
        keep(complete, pending.substring(0, scanned));
        pending.delete(0, scanned + 1);
        scanned = 0;
      } else {
        scanned += closing == null ? step() : stepInside();
      }
    }
    return complete;
  }

  /** The last statement, which no semicolon has to end; blank text is none. */
  List<String> end() {
    var rest = new ArrayList<String>();
    keep(rest, pending.toString());
    pending.setLength(0);
    scanned = 0;
    closing = null;
    return rest;
  }

  /** Whether anything but white space waits for its end. */
  boolean isInside() {
    return !pending.toString().isBlank();
  }

  private static void keep(List<String> statements, String statement) {
    if (!statement.isBlank()) {
      statements.add(statement.strip());
    }
  }

  private int step() {
    if (at("--")) {
      closing = "\n";
      return 2;
    }
    if (at("/*")) {
      closing = "*/";
      commentDepth = 1;
      return 2;
    }
    char c = pending.charAt(scanned);
    if (c == '\'' || c == '"') {
      closing = String.valueOf(c);
      escapes = scanned > 0 && Character.toLowerCase(pending.charAt(scanned - 1)) == 'e';
      return 1;
    }
    if (c == '$' && !isWordBefore()) {
      int end = dollarTagEnd();
      if (end > 0) {
        closing = pending.substring(scanned, end);
        return end - scanned;
      }
    }
    return 1;
  }

  private int stepInside() {
    if (closing.equals("*/") && at("/*")) {
      commentDepth++;
      return 2;
    }
    if (closing.equals("'") && at("''")) {
      return 2;
    }
    if (at(closing)) {
      int length = closing.length();
      if (!closing.equals("*/") || --commentDepth == 0) {
        closing = null;
      }
      return length;
    }
    return escapes && closing.equals("'") && pending.charAt(scanned) == '\\' ? 2 : 1;
  }

  private boolean isWordBefore() {
    return scanned > 0 && Character.isJavaIdentifierPart(pending.charAt(scanned - 1));
  }

  private int dollarTagEnd() {
    for (int i = scanned + 1; i < pending.length(); i++) {
      char c = pending.charAt(i);
      if (c == '$') {
        return i + 1;
      }
      boolean wordPart = Character.isLetterOrDigit(c) || c == '_';
      if (!wordPart || (i == scanned + 1 && Character.isDigit(c))) {
        return -1;
      }
    }
    return -1;
  }

  private boolean at(String text) {
    return pending.length() - scanned >= text.length()
        && pending.substring(scanned, scanned + text.length()).equals(text);
  }
}
