package dev.queencell.proxy.route;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A raw request path taken apart. Every spelling that two readers could take for different paths is
 * odd and has no segments: empty segments, a trailing slash, dot segments (also encoded), path
 * parameters, backslashes, control and non-ASCII characters, broken percent escapes.
 */
final class PathSegments {
  private static final int HEX = 16;

  private PathSegments() {}

  /**
   * The decoded segments, split first and decoded then, as the broker does it.
   *
   * @return null for an odd spelling
   */
  static List<String> read(String rawPath) {
    if (rawPath.isEmpty() || rawPath.charAt(0) != '/') {
      return null;
    }
    var segments = new ArrayList<String>(8);
    if (rawPath.length() == 1) {
      return segments;
    }
    int start = 1;
    for (int i = 1; i <= rawPath.length(); i++) {
      if (i == rawPath.length() || rawPath.charAt(i) == '/') {
        var segment = decode(rawPath, start, i);
        if (segment == null || segment.isEmpty() || isDots(segment)) {
          return null;
        }
        segments.add(segment);
        start = i + 1;
      }
    }
    return segments;
  }

  /**
   * The same path as a reader would see it that decodes first and splits then.
   *
   * @return null for an odd spelling
   */
  static List<String> resplit(List<String> segments) {
    var split = List.of(String.join("/", segments).split("/", -1));
    for (var segment : split) {
      if (segment.isEmpty() || isDots(segment)) {
        return null;
      }
    }
    return split;
  }

  private static boolean isDots(String segment) {
    return segment.equals(".") || segment.equals("..");
  }

  private static String decode(String path, int start, int end) {
    boolean escaped = false;
    for (int i = start; i < end; i++) {
      char c = path.charAt(i);
      if (c == '%') {
        escaped = true;
      } else if (c <= ' ' || c >= 0x7f || c == '\\' || c == ';') {
        return null;
      }
    }
    return escaped ? unescape(path, start, end) : path.substring(start, end);
  }

  private static String unescape(String path, int start, int end) {
    var bytes = new byte[end - start];
    int length = 0;
    for (int i = start; i < end; i++) {
      char c = path.charAt(i);
      if (c != '%') {
        bytes[length++] = (byte) c;
        continue;
      }
      if (i + 2 >= end) {
        return null;
      }
      int high = Character.digit(path.charAt(i + 1), HEX);
      int low = Character.digit(path.charAt(i + 2), HEX);
      int value = high * HEX + low;
      if (high < 0 || low < 0 || value < ' ' || value == 0x7f || value == '\\') {
        return null;
      }
      bytes[length++] = (byte) value;
      i += 2;
    }
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .onMalformedInput(CodingErrorAction.REPORT)
          .decode(ByteBuffer.wrap(bytes, 0, length))
          .toString();
    } catch (CharacterCodingException e) {
      return null;
    }
  }
}
