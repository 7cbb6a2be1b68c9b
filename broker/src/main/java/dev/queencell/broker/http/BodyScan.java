package dev.queencell.broker.http;

import dev.queencell.broker.store.Slice;
import dev.queencell.service.HttpProblem;
import java.nio.charset.StandardCharsets;

/**
 * One walk over a JSON request body, pulled by whoever knows its shape. Strict JSON in well-formed
 * UTF-8, or the request is refused; values that the broker does not look into come back as slices
 * of the body, byte for byte.
 *
 * <p>Use: open an object or an array, ask for its fields or elements until there are no more, and
 * take or skip exactly one value after each. Refusals start with {@code bad body: }. Not
 * thread-safe.
 */
final class BodyScan {
  /** What {@link #nextField} returns for a name that nobody asked for. */
  static final String UNKNOWN = "";

  /** What a value is, told by its first byte. */
  enum Kind {
    OBJECT,
    ARRAY,
    STRING,
    NUMBER,
    BOOLEAN,
    NULL
  }

  private final byte[] body;
  private final JsonGrammar grammar;
  private int at;

  /** True between the opening of a container and its first member. */
  private boolean first;

  BodyScan(byte[] body) {
    int invalid = Utf8.firstInvalid(body);
    if (invalid >= 0) {
      throw bad("invalid UTF-8 at byte " + invalid);
    }
    this.body = body;
    this.grammar = new JsonGrammar(body);
    this.at = grammar.space(0);
  }

  static HttpProblem bad(String text) {
    return HttpProblem.badRequest("bad body: " + text);
  }

  /** The kind of the value that comes next. What is no value at all passes for a number here. */
  Kind kind() {
    return switch (grammar.byteAt(at)) {
      case '{' -> Kind.OBJECT;
      case '[' -> Kind.ARRAY;
      case '"' -> Kind.STRING;
      case 't', 'f' -> Kind.BOOLEAN;
      case 'n' -> Kind.NULL;
      default -> Kind.NUMBER;
    };
  }

  /** Enters the object or array that comes next. */
  void open() {
    at++;
    first = true;
  }

  /**
   * Moves to the next field of the object that was opened last.
   *
   * @return the name if it is one of {@code known}, else {@link #UNKNOWN}; null at the end
   */
  String nextField(String... known) {
    if (!nextMember('}')) {
      return null;
    }
    int start = at;
    int end = grammar.string(at);
    at = grammar.space(grammar.symbol(grammar.space(end), ':'));
    for (var name : known) {
      if (isText(start, end, name)) {
        return name;
      }
    }
    if (!hasEscape(start, end)) {
      return UNKNOWN;
    }
    var written = JsonStrings.decode(body, start + 1, end - 1);
    for (var name : known) {
      if (name.equals(written)) {
        return name;
      }
    }
    return UNKNOWN;
  }

  /** A place to come back to: in front of a value. */
  int mark() {
    return at;
  }

  /** Goes back in front of a value, to read it once more. */
  void back(int mark) {
    at = mark;
  }

  /** Moves to the next element of the array that was opened last; false at its end. */
  boolean nextElement() {
    return nextMember(']');
  }

  /** Moves over a value, whatever it is. */
  void skip() {
    at = grammar.value(at);
  }

  /** Moves over a value and returns its text. */
  Slice raw() {
    int start = at;
    at = grammar.value(at);
    return new Slice(body, start, at - start);
  }

  /**
   * Moves over a string; its UTF-8 without escapes, or null when it holds half a surrogate pair.
   */
  Slice utf8() {
    int start = at;
    at = grammar.string(at);
    if (!hasEscape(start, at)) {
      return new Slice(body, start + 1, at - start - 2);
    }
    var text = JsonStrings.decode(body, start + 1, at - 1);
    return Utf8.encodedLength(text) < 0 ? null : Slice.utf8(text);
  }

  /**
   * Moves over a string and returns it; half a surrogate pair in it stays one.
   *
   * @param guess returned itself when it is the text, so that neighbours that name the same queue
   *     share one string; may be null
   */
  String text(String guess) {
    int start = at;
    at = grammar.string(at);
    if (guess != null && isText(start, at, guess)) {
      return guess;
    }
    return hasEscape(start, at)
        ? JsonStrings.decode(body, start + 1, at - 1)
        : new String(body, start + 1, at - start - 2, StandardCharsets.UTF_8);
  }

  /** Refuses anything but white space behind the document. */
  void end() {
    if (grammar.space(at) < body.length) {
      throw bad("there is more behind the JSON document at byte " + grammar.space(at));
    }
  }

  private boolean nextMember(char close) {
    at = grammar.space(at);
    if (grammar.byteAt(at) == close) {
      at++;
      first = false;
      return false;
    }
    if (!first) {
      at = grammar.space(grammar.symbol(at, ','));
    }
    first = false;
    return true;
  }

  /** Whether the string literal in [start, end) is plain ASCII without escapes and this text. */
  private boolean isText(int start, int end, String text) {
    int length = text.length();
    if (end - start - 2 != length) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      byte b = body[start + 1 + i];
      if (b != text.charAt(i) || b == '\\') {
        return false;
      }
    }
    return true;
  }

  private boolean hasEscape(int start, int end) {
    for (int i = start; i < end; i++) {
      if (body[i] == '\\') {
        return true;
      }
    }
    return false;
  }
}
