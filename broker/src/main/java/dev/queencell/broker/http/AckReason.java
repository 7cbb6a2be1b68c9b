package dev.queencell.broker.http;

import dev.queencell.broker.store.Slice;

/**
 * Why a message could not be handled, as its consumer tells it with an acknowledgement. It is for
 * people, so nothing in it refuses a call: what is no text is taken as it is written, what is
 * longer than {@link #CHARS_MAX} is cut.
 */
final class AckReason {
  private static final int CHARS_MAX = 4096;

  /** No character takes more bytes; what is cut in half at the end is behind the last one kept. */
  private static final int BYTES_PER_CHAR_MAX = 4;

  private AckReason() {}

  /** Moves over the value that comes next; null when it is null. */
  static String read(BodyScan scan) {
    return switch (scan.kind()) {
      case NULL -> {
        scan.skip();
        yield null;
      }
      case STRING -> Utf8.storable(scan.text(null), CHARS_MAX);
      default -> Utf8.storable(begin(scan.raw()).text(), CHARS_MAX);
    };
  }

  private static Slice begin(Slice json) {
    int length = Math.min(json.length(), CHARS_MAX * BYTES_PER_CHAR_MAX);
    return new Slice(json.array(), json.offset(), length);
  }
}
