package dev.queencell.loader.payload;

/**
 * Reads stamps back out of payload bytes, in any key order and spacing, without decoding anything
 * else. Thread-safe; the stamp that is filled is the caller's.
 */
public final class PayloadReader {
  /** What was found. */
  public enum Finding {
    /** A message as this run wrote it. */
    INTACT,
    /** A stamp of this run whose filler is not what was written. */
    CORRUPT,
    /** Another run's message, or no stamped message at all. */
    FOREIGN
  }

  private static final int FIELDS = 8;

  private final Filler filler;
  private final int run;

  public PayloadReader(Filler filler, int run) {
    this.filler = filler;
    this.run = run;
  }

  /** Fills the stamp from a payload; what it holds after {@code FOREIGN} means nothing. */
  public Finding read(byte[] source, int offset, int length, Stamp stamp) {
    int end = offset + length;
    int at = offset;
    int seen = 0;
    int fillStart = -1;
    int fillEnd = -1;
    while (at < end && source[at] != '"') {
      at++;
    }
    while (at + 3 < end && source[at] == '"' && source[at + 2] == '"') {
      int name = source[at + 1];
      at = past(source, at + 3, end, ':');
      if (name == 'f') {
        if (at >= end || source[at] != '"') {
          return Finding.FOREIGN;
        }
        fillStart = at + 1;
        fillEnd = fillStart;
        while (fillEnd < end && source[fillEnd] != '"') {
          fillEnd++;
        }
        at = fillEnd + 1;
      } else {
        boolean negative = at < end && source[at] == '-';
        at += negative ? 1 : 0;
        long value = 0;
        int digits = at;
        while (at < end && source[at] >= '0' && source[at] <= '9') {
          value = value * 10 + source[at++] - '0';
        }
        if (at == digits || !assign(stamp, name, negative ? -value : value)) {
          return Finding.FOREIGN;
        }
        seen++;
      }
      at = past(source, at, end, ',');
    }
    if (seen != FIELDS || fillStart < 0 || stamp.run != run) {
      return Finding.FOREIGN;
    }
    return filler.matches(stamp, source, fillStart, fillEnd - fillStart)
        ? Finding.INTACT
        : Finding.CORRUPT;
  }

  private static int past(byte[] source, int from, int end, char separator) {
    int at = from;
    while (at < end && (source[at] == separator || source[at] == ' ')) {
      at++;
    }
    return at;
  }

  private static boolean assign(Stamp stamp, int name, long value) {
    switch (name) {
      case 'r' -> stamp.run = (int) value;
      case 't' -> stamp.tenant = (int) value;
      case 'p' -> stamp.partition = (int) value;
      case 's' -> stamp.sequence = value;
      case 'd' -> stamp.answered = value;
      case 'b' -> stamp.base = value;
      case 'a' -> stamp.scheduledMicros = value;
      case 'x' -> stamp.sentMicros = value;
      default -> {
        return false;
      }
    }
    return true;
  }
}
