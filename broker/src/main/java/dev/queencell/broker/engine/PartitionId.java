package dev.queencell.broker.engine;

import java.util.UUID;

/**
 * A partition's id on the wire: a UUID (version 8, RFC 9562) made of the numbers of its queue and
 * itself, so that no second key is stored and the queue is found without a look-up.
 */
record PartitionId(long queue, long partition) {
  private static final long VERSION_8 = 0x8000L;
  private static final long VARIANT = 0x8000_0000_0000_0000L;
  private static final long PARTITION_MASK = 0x3fff_ffff_ffff_ffffL;

  UUID toUuid() {
    return new UUID(queue << 16 | VERSION_8, VARIANT | partition);
  }

  /** Reads a client's text; null when it is no UUID at all. */
  static PartitionId parse(String text) {
    if (text.length() != 36) {
      return null;
    }
    try {
      var uuid = UUID.fromString(text);
      return new PartitionId(
          uuid.getMostSignificantBits() >>> 16, uuid.getLeastSignificantBits() & PARTITION_MASK);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }
}
