package dev.queencell.broker.http;

import dev.queencell.service.HttpProblem;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The grammar of RFC 8259 over bytes that are known to be UTF-8: each method takes the index where
 * something starts and returns the index behind it, or refuses. Nothing is decoded and nothing is
 * built, so that a payload costs one pass and no memory, whatever is in it.
 *
 * <p>Not left to Jackson's parser, which decodes and remembers the names of every object it skips:
 * that refuses names with half a surrogate pair, which are valid JSON and must come out as they
 * went in, and makes foreign names cost time and memory. Loops instead of recursion: depth costs a
 * bit per level. Not thread-safe.
 */
final class JsonGrammar {
  /** Deeper nesting is refused: most readers of the message would fail on it. */
  static final int NESTING_MAX = 10_000;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());
  private static final long ONES = 0x0101010101010101L;
  private static final long HIGH_BITS = 0x8080808080808080L;
  private static final long QUOTES = '"' * ONES;
  private static final long BACKSLASHES = '\\' * ONES;
  private static final long SPACES = ' ' * ONES;

  private final byte[] text;

  /** A bit per open container of the value that is walked over; set for an object. */
  private long[] objects = new long[1];

  JsonGrammar(byte[] text) {
    this.text = text;
  }

  /** The index of the first byte from {@code at} that is no white space; may be the length. */
  int space(int at) {
    int i = at;
    while (i < text.length
        && (text[i] == ' ' || text[i] == '\n' || text[i] == '\t' || text[i] == '\r')) {
      i++;
    }
    return i;
  }

  /** The byte at an index, which must exist. */
  byte byteAt(int at) {
    if (at >= text.length) {
      throw BodyScan.bad("unexpected end of input at byte " + text.length);
    }
    return text[at];
  }

  /** The index behind {@code symbol}, which must stand here. */
  int symbol(int at, char symbol) {
    if (byteAt(at) != symbol) {
      throw expected("'" + symbol + "'", at);
    }
    return at + 1;
  }

  /** Walks over any value. */
  int value(int start) {
    int at = start;
    int depth = 0;
    while (true) {
      byte first = byteAt(at);
      if (first == '{' || first == '[') {
        boolean object = first == '{';
        open(depth, object, at);
        at = space(at + 1);
        if (byteAt(at) == (object ? '}' : ']')) {
          at++;
        } else {
          depth++;
          at = object ? name(at) : at;
          continue;
        }
      } else {
        at = scalar(at);
      }
      // Behind a value: leave what ends here, then go on to the next value of what does not.
      while (depth > 0) {
        at = space(at);
        boolean object = isObject(depth - 1);
        byte b = byteAt(at);
        if (b == ',') {
          at = space(at + 1);
          at = object ? name(at) : at;
          break;
        }
        if (b != (object ? '}' : ']')) {
          throw expected(object ? "',' or '}'" : "',' or ']'", at);
        }
        at++;
        depth--;
      }
      if (depth == 0) {
        return at;
      }
    }
  }

  /** Walks over a string, quotes included. */
  int string(int start) {
    if (byteAt(start) != '"') {
      throw expected("a string", start);
    }
    int at = start + 1;
    while (true) {
      at = plainText(at);
      byte b = byteAt(at);
      if (b == '"') {
        return at + 1;
      }
      if (b != '\\') {
        throw BodyScan.bad("a control character in a string at byte " + at);
      }
      at = escape(at + 1);
    }
  }

  /** Walks over a field's name, its colon and the white space around it. */
  private int name(int at) {
    return space(symbol(space(string(at)), ':'));
  }

  private int scalar(int at) {
    return switch (text[at]) {
      case '"' -> string(at);
      case 't' -> literal(at, "true");
      case 'f' -> literal(at, "false");
      case 'n' -> literal(at, "null");
      default -> number(at);
    };
  }

  /** Skips what needs no attention in a string, eight bytes at a step. */
  private int plainText(int start) {
    int at = start;
    while (at + Long.BYTES <= text.length) {
      long word = (long) LONG.get(text, at);
      // Sets the high bit of bytes that are below ' ', or a quote, or a backslash; a false alarm
      // is possible only beside a true one. Bytes of multi-byte characters never count.
      long special = (word - SPACES) | ((word ^ QUOTES) - ONES) | ((word ^ BACKSLASHES) - ONES);
      if ((special & ~word & HIGH_BITS) != 0) {
        break;
      }
      at += Long.BYTES;
    }
    while (at < text.length && isPlain(text[at])) {
      at++;
    }
    return at;
  }

  private static boolean isPlain(byte b) {
    return b != '"' && b != '\\' && (b >= ' ' || b < 0);
  }

  private int escape(int at) {
    return switch (byteAt(at)) {
      case '"', '\\', '/', 'b', 'f', 'n', 'r', 't' -> at + 1;
      case 'u' -> {
        for (int i = at + 1; i <= at + 4; i++) {
          if (!isHex(byteAt(i))) {
            throw expected("a hexadecimal digit", i);
          }
        }
        yield at + 5;
      }
      default -> throw BodyScan.bad("an unknown escape in a string at byte " + at);
    };
  }

  private static boolean isHex(byte b) {
    return isDigit(b) || (b >= 'a' && b <= 'f') || (b >= 'A' && b <= 'F');
  }

  private int literal(int start, String word) {
    for (int i = 0; i < word.length(); i++) {
      if (byteAt(start + i) != word.charAt(i)) {
        throw expected("a value", start);
      }
    }
    return start + word.length();
  }

  private int number(int start) {
    int at = text[start] == '-' ? start + 1 : start;
    if (!isDigit(byteAt(at))) {
      throw expected("a value", start);
    }
    at = text[at] == '0' ? at + 1 : digits(at);
    if (at < text.length && text[at] == '.') {
      at = digits(at + 1);
    }
    if (at < text.length && (text[at] == 'e' || text[at] == 'E')) {
      byte sign = byteAt(at + 1);
      at = digits(sign == '+' || sign == '-' ? at + 2 : at + 1);
    }
    return at;
  }

  private int digits(int start) {
    if (!isDigit(byteAt(start))) {
      throw expected("a digit", start);
    }
    int at = start + 1;
    while (at < text.length && isDigit(text[at])) {
      at++;
    }
    return at;
  }

  private static boolean isDigit(byte b) {
    return b >= '0' && b <= '9';
  }

  private void open(int depth, boolean object, int at) {
    if (depth >= NESTING_MAX) {
      throw BodyScan.bad("nesting deeper than %d at byte %d".formatted(NESTING_MAX, at));
    }
    int word = depth / Long.SIZE;
    if (word == objects.length) {
      objects = Arrays.copyOf(objects, objects.length * 2);
    }
    long bit = 1L << depth;
    objects[word] = object ? objects[word] | bit : objects[word] & ~bit;
  }

  private boolean isObject(int depth) {
    return (objects[depth / Long.SIZE] & (1L << depth)) != 0;
  }

  private HttpProblem expected(String what, int at) {
    return BodyScan.bad("expected %s at byte %d".formatted(what, at));
  }
}
