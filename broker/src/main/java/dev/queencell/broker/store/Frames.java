package dev.queencell.broker.store;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.UUID;

/**
 * The bytes of one message inside a segment, and the two cursors that write and read them.
 *
 * <pre>
 * u32  length of the rest of the frame
 * u8   flags: 1 = the transaction id is the message id's text, 2 = trace id, 4 = producer,
 *             8 = delay, 16 = in the segment's first frame: some frame has a delay
 * 16   message id
 * [u16 length, bytes]  transaction id, unless flag 1
 * [16]                 trace id, with flag 2
 * [u16 length, bytes]  producer, with flag 4
 * [u32]                delay in seconds after the segment's time, with flag 8
 * rest payload: the JSON text as the client sent it
 * </pre>
 *
 * Big-endian. Frames of a segment follow each other in offset order; a frame says nothing of its
 * offset or time, those belong to the segment.
 */
public final class Frames {
  /** A transaction id and a producer carry a 16-bit length. */
  public static final int TRANSACTION_ID_BYTES_MAX = 65_535;

  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle SHORT =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);

  private static final int FLAG_TRANSACTION_IS_ID = 1;
  private static final int FLAG_TRACE = 2;
  private static final int FLAG_PRODUCER = 4;
  private static final int FLAG_DELAY = 8;
  private static final int FLAG_SOME_DELAY = 16;
  private static final int FLAGS_AT = 4;
  private static final int FIXED_BYTES = 4 + 1 + 16;

  private Frames() {}

  /** Whether a message of a segment is to be delivered later than its segment. */
  public static boolean someDelayed(byte[] frames) {
    return frames.length > FLAGS_AT && (frames[FLAGS_AT] & FLAG_SOME_DELAY) != 0;
  }

  /**
   * How many bytes a frame takes.
   *
   * @param transactionId null when it is the message id's own text
   * @param traceId null for none
   * @param producer null for none
   * @param delaySeconds 0 for none
   */
  public static int sizeBytes(
      Slice transactionId, UUID traceId, Slice producer, Slice payload, int delaySeconds) {
    return FIXED_BYTES
        + (transactionId == null ? 0 : 2 + transactionId.length())
        + (traceId == null ? 0 : 16)
        + (producer == null ? 0 : 2 + producer.length())
        + (delaySeconds > 0 ? 4 : 0)
        + payload.length();
  }

  /** Grows a buffer of frames. Not thread-safe. */
  public static final class Writer {
    private byte[] buffer;
    private int size;
    private int count;

    public Writer(int capacityBytes) {
      buffer = new byte[capacityBytes];
    }

    /**
     * Adds a frame.
     *
     * @param transactionId null when it is the message id's own text
     * @param traceId null for none
     * @param producer null for none
     */
    public void add(UUID id, Slice transactionId, UUID traceId, Slice producer, Slice payload) {
      add(id, transactionId, traceId, producer, payload, 0);
    }

    /**
     * Adds a frame.
     *
     * @param delaySeconds how long after the segment's time it may be delivered; 0 for at once
     */
    public void add(
        UUID id,
        Slice transactionId,
        UUID traceId,
        Slice producer,
        Slice payload,
        int delaySeconds) {
      int length = Frames.sizeBytes(transactionId, traceId, producer, payload, delaySeconds);
      reserve(length);
      int at = size;
      INT.set(buffer, at, length - 4);
      buffer[at + 4] =
          (byte)
              ((transactionId == null ? FLAG_TRANSACTION_IS_ID : 0)
                  | (traceId == null ? 0 : FLAG_TRACE)
                  | (producer == null ? 0 : FLAG_PRODUCER)
                  | (delaySeconds > 0 ? FLAG_DELAY : 0));
      LONG.set(buffer, at + 5, id.getMostSignificantBits());
      LONG.set(buffer, at + 13, id.getLeastSignificantBits());
      at += FIXED_BYTES;
      if (transactionId != null) {
        at = shortBytes(at, transactionId);
      }
      if (traceId != null) {
        LONG.set(buffer, at, traceId.getMostSignificantBits());
        LONG.set(buffer, at + 8, traceId.getLeastSignificantBits());
        at += 16;
      }
      if (producer != null) {
        at = shortBytes(at, producer);
      }
      if (delaySeconds > 0) {
        INT.set(buffer, at, delaySeconds);
        at += 4;
        buffer[FLAGS_AT] |= FLAG_SOME_DELAY;
      }
      System.arraycopy(payload.array(), payload.offset(), buffer, at, payload.length());
      size += length;
      count++;
    }

    public int sizeBytes() {
      return size;
    }

    public int count() {
      return count;
    }

    /** The frames so far, in an array of their exact size. */
    public byte[] toBytes() {
      return size == buffer.length ? buffer : Arrays.copyOf(buffer, size);
    }

    private int shortBytes(int at, Slice bytes) {
      SHORT.set(buffer, at, (short) bytes.length());
      System.arraycopy(bytes.array(), bytes.offset(), buffer, at + 2, bytes.length());
      return at + 2 + bytes.length();
    }

    private void reserve(int more) {
      if (size + more > buffer.length) {
        buffer = Arrays.copyOf(buffer, Math.max(size + more, buffer.length * 2));
      }
    }
  }

  /**
   * Walks over frames: {@link #next()} moves to a frame, the accessors read it. Slices point into
   * the walked array. Not thread-safe; the array is shared and never changed.
   */
  public static final class Reader {
    private final byte[] frames;
    private int nextAt;
    private int at;
    private int flags;
    private int payloadAt;
    private int transactionAt;
    private int traceAt;
    private int producerAt;
    private int delaySeconds;
    private int end;

    public Reader(byte[] frames) {
      this.frames = frames;
    }

    /** Moves to the next frame; false behind the last. */
    public boolean next() {
      if (nextAt >= frames.length) {
        return false;
      }
      at = nextAt;
      end = at + 4 + (int) INT.get(frames, at);
      flags = frames[at + 4];
      int cursor = at + FIXED_BYTES;
      if ((flags & FLAG_TRANSACTION_IS_ID) == 0) {
        transactionAt = cursor;
        cursor += 2 + shortAt(cursor);
      }
      if ((flags & FLAG_TRACE) != 0) {
        traceAt = cursor;
        cursor += 16;
      }
      if ((flags & FLAG_PRODUCER) != 0) {
        producerAt = cursor;
        cursor += 2 + shortAt(cursor);
      }
      delaySeconds = 0;
      if ((flags & FLAG_DELAY) != 0) {
        delaySeconds = (int) INT.get(frames, cursor);
        cursor += 4;
      }
      payloadAt = cursor;
      nextAt = end;
      return true;
    }

    /** Moves over {@code frameCount} frames without reading them; the next call of next() reads. */
    public void skip(int frameCount) {
      for (int i = 0; i < frameCount; i++) {
        nextAt += 4 + (int) INT.get(frames, nextAt);
      }
    }

    public long idHigh() {
      return (long) LONG.get(frames, at + 5);
    }

    public long idLow() {
      return (long) LONG.get(frames, at + 13);
    }

    public UUID id() {
      return new UUID(idHigh(), idLow());
    }

    /** True when the transaction id is the text of the message id, and not stored. */
    public boolean transactionIsId() {
      return (flags & FLAG_TRANSACTION_IS_ID) != 0;
    }

    /** The transaction id as UTF-8. */
    public Slice transactionId() {
      return transactionIsId()
          ? Slice.of(id().toString().getBytes(StandardCharsets.ISO_8859_1))
          : new Slice(frames, transactionAt + 2, shortAt(transactionAt));
    }

    /** The trace id, or null. */
    public UUID traceId() {
      return (flags & FLAG_TRACE) == 0
          ? null
          : new UUID((long) LONG.get(frames, traceAt), (long) LONG.get(frames, traceAt + 8));
    }

    /** The producer as UTF-8, or null. */
    public Slice producer() {
      return (flags & FLAG_PRODUCER) == 0
          ? null
          : new Slice(frames, producerAt + 2, shortAt(producerAt));
    }

    /** How long after the segment's time it may be delivered; 0 for at once. */
    public int delaySeconds() {
      return delaySeconds;
    }

    public Slice payload() {
      return new Slice(frames, payloadAt, end - payloadAt);
    }

    /**
     * The walked array; with {@link #payloadOffset()} the payload without an object per message.
     */
    public byte[] array() {
      return frames;
    }

    public int payloadOffset() {
      return payloadAt;
    }

    public int payloadLength() {
      return end - payloadAt;
    }

    private int shortAt(int index) {
      return (short) SHORT.get(frames, index) & 0xffff;
    }
  }
}
