package dev.queencell.loader.payload;

/**
 * Writes a stamped message of a given size. Not thread-safe; its buffer is overwritten by the next
 * message.
 */
public final class PayloadWriter {
  /** Room that the longest stamp can take. */
  private static final int STAMP_BYTES_MAX = 192;

  private final Filler filler;
  private final int sizeBytes;
  private final byte[] buffer;
  private int length;

  /**
   * Makes a writer.
   *
   * @param sizeBytes of the whole payload; a stamp that needs more takes more
   */
  public PayloadWriter(Filler filler, int sizeBytes) {
    this.filler = filler;
    this.sizeBytes = sizeBytes;
    this.buffer = new byte[sizeBytes + STAMP_BYTES_MAX];
  }

  public byte[] buffer() {
    return buffer;
  }

  /** Writes a message to the start of the buffer and returns its length in bytes. */
  public int write(Stamp stamp) {
    length = 0;
    number('{', 'r', stamp.run);
    number(',', 't', stamp.tenant);
    number(',', 'p', stamp.partition);
    number(',', 's', stamp.sequence);
    number(',', 'd', stamp.answered);
    number(',', 'b', stamp.base);
    number(',', 'a', stamp.scheduledMicros);
    number(',', 'x', stamp.sentMicros);
    key(',', 'f');
    buffer[length++] = '"';
    int fill = Math.max(0, sizeBytes - length - 2);
    filler.copy(stamp, buffer, length, fill);
    length += fill;
    buffer[length++] = '"';
    buffer[length++] = '}';
    return length;
  }

  private void key(char before, char name) {
    buffer[length++] = (byte) before;
    buffer[length++] = '"';
    buffer[length++] = (byte) name;
    buffer[length++] = '"';
    buffer[length++] = ':';
  }

  private void number(char before, char name, long value) {
    key(before, name);
    long rest = value;
    if (rest < 0) {
      buffer[length++] = '-';
      rest = -rest;
    }
    int digits = 1;
    for (long power = 10; power <= rest && digits < 18; power *= 10) {
      digits++;
    }
    for (int i = length + digits - 1; i >= length; i--) {
      buffer[i] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    length += digits;
  }
}
