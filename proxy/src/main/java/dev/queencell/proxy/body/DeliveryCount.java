package dev.queencell.proxy.body;

import java.nio.charset.StandardCharsets;

/**
 * Counts the elements of the top-level {@code messages} list of a pop's answer while it streams by,
 * a state machine over single bytes: no allocation, no buffering, any split into pieces. What is
 * not such an answer counts nothing.
 *
 * <p>Not thread-safe; one use.
 */
public final class DeliveryCount implements AnswerCount {
  private static final byte[] KEY = "messages".getBytes(StandardCharsets.US_ASCII);
  private static final int LIST_DEPTH = 2;

  private int depth;
  private boolean inString;
  private boolean escaped;

  /** How many bytes of {@link #KEY} the current string matched; -1 once it is another one. */
  private int matched = -1;

  /** The last string at depth 1 was {@link #KEY}. */
  private boolean keySeen;

  private boolean inList;
  private boolean valueSeen;
  private long count;

  @Override
  public void feed(byte[] bytes, int offset, int length) {
    for (int i = offset; i < offset + length; i++) {
      if (inString) {
        string(bytes[i]);
      } else {
        structure(bytes[i]);
      }
    }
  }

  @Override
  public long count() {
    return count;
  }

  private void string(byte b) {
    if (escaped) {
      escaped = false;
      matched = -1;
    } else if (b == '\\') {
      escaped = true;
    } else if (b == '"') {
      inString = false;
      keySeen = matched == KEY.length;
    } else if (matched >= 0) {
      matched = matched < KEY.length && KEY[matched] == b ? matched + 1 : -1;
    }
  }

  private void structure(byte b) {
    switch (b) {
      case '"' -> {
        startValue();
        inString = true;
        matched = depth == 1 ? 0 : -1;
      }
      case '{', '[' -> {
        startValue();
        depth++;
        if (depth == LIST_DEPTH && b == '[' && keySeen) {
          inList = true;
          valueSeen = false;
        }
        keySeen = false;
      }
      case '}', ']' -> {
        if (depth == LIST_DEPTH) {
          inList = false;
        }
        depth--;
        keySeen = false;
      }
      case ',' -> {
        keySeen = false;
        if (depth == LIST_DEPTH) {
          valueSeen = false;
        }
      }
      case ' ', '\n', '\r', '\t', ':' -> {
        // Between tokens; a key stays seen until its value starts.
      }
      default -> {
        startValue();
        keySeen = false;
      }
    }
  }

  private void startValue() {
    if (inList && depth == LIST_DEPTH && !valueSeen) {
      valueSeen = true;
      count++;
    }
  }
}
