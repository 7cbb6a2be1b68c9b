package dev.queencell.broker.spool;

import dev.queencell.broker.crypto.PayloadCipher;
import dev.queencell.broker.engine.PushItem;
import dev.queencell.broker.store.Slice;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * One spooled message as bytes.
 *
 * <pre>
 * u32  length of the body
 * u32  CRC-32C of the body
 * body:
 *   u8   flags: 1 = there is a producer, 2 = the payload is sealed, 4 = there is a delay
 *   16   tenant
 *   16   message id, as it was answered
 *   [u16 length, bytes]  queue, partition, transaction id, producer (with flag 1)
 *   [u32]                delay in seconds, with flag 4
 *   rest payload
 * </pre>
 *
 * Big-endian. With a key loaded every payload is sealed on disk, whatever its queue asks for: while
 * the database is away nobody can tell. Opened and stored by the queue's own option when it is
 * replayed.
 */
record SpoolRecord(UUID tenant, PushItem item) {
  static final int HEADER_BYTES = 8;
  static final int BODY_BYTES_MAX = 128 * 1024 * 1024;

  private static final int FLAG_PRODUCER = 1;
  private static final int FLAG_SEALED = 2;
  private static final int FLAG_DELAY = 4;
  private static final int FIXED_BYTES = 1 + 16 + 16 + 3 * 2;

  /** The bytes of this record, header included. */
  byte[] encode(PayloadCipher cipher) {
    var queue = item.queue().getBytes(StandardCharsets.UTF_8);
    var partition = item.partition().getBytes(StandardCharsets.UTF_8);
    var producer = item.producer();
    var payload = item.payload();
    int flags = producer == null ? 0 : FLAG_PRODUCER;
    flags |= item.delaySeconds() == 0 ? 0 : FLAG_DELAY;
    if (cipher.loaded()) {
      payload = Slice.of(cipher.sealRaw(payload.array(), payload.offset(), payload.length()));
      flags |= FLAG_SEALED;
    }
    int length =
        FIXED_BYTES
            + queue.length
            + partition.length
            + item.transactionId().length()
            + (producer == null ? 0 : 2 + producer.length())
            + (item.delaySeconds() == 0 ? 0 : Integer.BYTES)
            + payload.length();
    var bytes = ByteBuffer.allocate(HEADER_BYTES + length).position(HEADER_BYTES);
    bytes.put((byte) flags);
    put(bytes, tenant);
    put(bytes, item.id());
    put(bytes, Slice.of(queue));
    put(bytes, Slice.of(partition));
    put(bytes, item.transactionId());
    if (producer != null) {
      put(bytes, producer);
    }
    if (item.delaySeconds() != 0) {
      bytes.putInt(item.delaySeconds());
    }
    bytes.put(payload.array(), payload.offset(), payload.length());
    bytes.putInt(0, length).putInt(4, checksum(bytes.array(), HEADER_BYTES, length));
    return bytes.array();
  }

  /**
   * Reads a body whose checksum is good.
   *
   * @return null when it can't be read: sealed with a key that is not loaded, or of another version
   */
  static SpoolRecord decode(byte[] body, PayloadCipher cipher) {
    try {
      var bytes = ByteBuffer.wrap(body);
      int flags = bytes.get();
      var tenant = uuid(bytes);
      var id = uuid(bytes);
      var queue = slice(bytes).text();
      var partition = slice(bytes).text();
      var transactionId = slice(bytes);
      var producer = (flags & FLAG_PRODUCER) == 0 ? null : slice(bytes);
      int delaySeconds = (flags & FLAG_DELAY) == 0 ? 0 : bytes.getInt();
      var payload = new Slice(body, bytes.position(), bytes.remaining());
      if ((flags & FLAG_SEALED) != 0) {
        var opened = cipher.openRaw(payload.toBytes());
        if (opened == null) {
          return null;
        }
        payload = Slice.of(opened);
      }
      return new SpoolRecord(
          tenant,
          new PushItem(queue, partition, transactionId, producer, payload, id, delaySeconds));
    } catch (BufferUnderflowException | IllegalArgumentException e) {
      return null;
    }
  }

  /** The lane of a record's partition among {@link PendingLanes}, without its payload. */
  static int laneOf(byte[] body) {
    var bytes = ByteBuffer.wrap(body);
    bytes.get();
    var tenant = uuid(bytes);
    bytes.position(bytes.position() + 16);
    return PendingLanes.of(tenant, slice(bytes).text(), slice(bytes).text());
  }

  static int checksum(byte[] bytes, int offset, int length) {
    var checksum = new CRC32C();
    checksum.update(bytes, offset, length);
    return (int) checksum.getValue();
  }

  private static void put(ByteBuffer bytes, UUID id) {
    bytes.putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits());
  }

  private static void put(ByteBuffer bytes, Slice text) {
    bytes.putShort((short) text.length()).put(text.array(), text.offset(), text.length());
  }

  private static UUID uuid(ByteBuffer bytes) {
    return new UUID(bytes.getLong(), bytes.getLong());
  }

  private static Slice slice(ByteBuffer bytes) {
    int length = Short.toUnsignedInt(bytes.getShort());
    if (length > bytes.remaining()) {
      throw new BufferUnderflowException();
    }
    var slice = new Slice(bytes.array(), bytes.arrayOffset() + bytes.position(), length);
    bytes.position(bytes.position() + length);
    return slice;
  }
}
