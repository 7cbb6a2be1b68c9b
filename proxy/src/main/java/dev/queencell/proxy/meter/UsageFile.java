package dev.queencell.proxy.meter;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counters of one batch in a file that is mapped into memory. Adding is a few stores, and what was
 * added outlives the process however it ends; a power cut takes what was added since the last
 * {@link #force()}.
 *
 * <p>A header, then slots of eight longs: class (0 while free), cluster (2), minute, requests,
 * messages, bytes in, bytes out. The class is written last, so that a slot is either whole or free.
 *
 * <p>Not thread-safe: its owner has a lock.
 */
final class UsageFile {
  /**
   * Clusters times classes times minutes that a file has space for; the tenant state takes no more
   * rows.
   */
  static final int SLOTS = 4000;

  private static final Logger LOG = LoggerFactory.getLogger(UsageFile.class);

  private record Key(UUID clusterId, long minute, UsageClass usageClass) {}

  /** "QCUSAGE1". */
  private static final long MAGIC = 0x5143555341474531L;

  private static final int LONGS_PER_SLOT = 8;
  private static final int HEADER_LONGS = 8;
  private static final long BYTES = (HEADER_LONGS + (long) SLOTS * LONGS_PER_SLOT) * Long.BYTES;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

  private static final int CLUSTER = 1;
  private static final int MINUTE = 3;
  private static final int REQUESTS = 4;
  private static final int MESSAGES = 5;
  private static final int BYTES_IN = 6;
  private static final int BYTES_OUT = 7;

  private final MemorySegment longs;
  private final Path path;
  private final UUID batchId;
  private final int rowsMax;
  private final Map<Key, Integer> slots = new HashMap<>();

  private UsageFile(MemorySegment longs, Path path, UUID batchId, int rowsMax) {
    this.longs = longs;
    this.path = path;
    this.batchId = batchId;
    this.rowsMax = rowsMax;
  }

  /**
   * A new batch on disk. All of its space is taken now: later a full disk would be a crash.
   *
   * @throws IOException when the disk doesn't have it
   */
  static UsageFile create(Path path, int rowsMax) throws IOException {
    try (var channel =
        FileChannel.open(
            path,
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE)) {
      var zeros = ByteBuffer.allocate((int) BYTES);
      while (zeros.hasRemaining()) {
        channel.write(zeros);
      }
      var file =
          new UsageFile(
              channel.map(FileChannel.MapMode.READ_WRITE, 0, BYTES, Arena.ofAuto()),
              path,
              UUID.randomUUID(),
              rowsMax);
      file.writeHeader();
      file.force();
      return file;
    } catch (IOException | RuntimeException e) {
      Files.deleteIfExists(path);
      throw e;
    }
  }

  /** A batch that lives and dies with the process, for a disk that takes none. */
  static UsageFile inMemory(int rowsMax) {
    var file =
        new UsageFile(
            MemorySegment.ofArray(new long[(int) (BYTES / Long.BYTES)]),
            null,
            UUID.randomUUID(),
            rowsMax);
    file.writeHeader();
    return file;
  }

  /**
   * What an earlier process left in a file.
   *
   * @return null when it holds no batch: its process ended while making it
   */
  static UsageBatch read(Path path) throws IOException {
    var bytes = Files.readAllBytes(path);
    if (bytes.length != BYTES) {
      return null;
    }
    var longs = MemorySegment.ofArray(new long[bytes.length / Long.BYTES]);
    MemorySegment.copy(MemorySegment.ofArray(bytes), 0, longs, 0, bytes.length);
    if (longs.getAtIndex(LONG, 0) != MAGIC) {
      return null;
    }
    var id = new UUID(longs.getAtIndex(LONG, 1), longs.getAtIndex(LONG, 2));
    return new UsageBatch(id, rows(longs));
  }

  /** Adds; false when the file has no slot left for it. */
  boolean add(
      UUID clusterId,
      long minute,
      UsageClass usageClass,
      long requests,
      long messages,
      long bytesIn,
      long bytesOut) {
    var key = new Key(clusterId, minute, usageClass);
    var slot = slots.get(key);
    if (slot == null) {
      if (slots.size() == rowsMax) {
        return false;
      }
      slot = slots.size();
      slots.put(key, slot);
      long base = base(slot);
      longs.setAtIndex(LONG, base + CLUSTER, clusterId.getMostSignificantBits());
      longs.setAtIndex(LONG, base + CLUSTER + 1, clusterId.getLeastSignificantBits());
      longs.setAtIndex(LONG, base + MINUTE, minute);
      longs.setAtIndex(LONG, base, usageClass.code());
    }
    long base = base(slot);
    increase(base + MESSAGES, messages);
    increase(base + REQUESTS, requests);
    increase(base + BYTES_IN, bytesIn);
    increase(base + BYTES_OUT, bytesOut);
    return true;
  }

  boolean isEmpty() {
    return slots.isEmpty();
  }

  UsageBatch batch() {
    return new UsageBatch(batchId, rows(longs));
  }

  /** Where it is; null for one in memory. */
  Path path() {
    return path;
  }

  /** Has the disk itself hold what was added. */
  void force() {
    try {
      if (path != null) {
        longs.force();
      }
    } catch (UncheckedIOException e) {
      LOG.warn("the disk did not take the usage, the kernel has it: {}", e.toString());
    }
  }

  private void writeHeader() {
    longs.setAtIndex(LONG, 1, batchId.getMostSignificantBits());
    longs.setAtIndex(LONG, 2, batchId.getLeastSignificantBits());
    longs.setAtIndex(LONG, 0, MAGIC);
  }

  private void increase(long index, long by) {
    longs.setAtIndex(LONG, index, longs.getAtIndex(LONG, index) + by);
  }

  private static List<UsageRow> rows(MemorySegment longs) {
    var rows = new ArrayList<UsageRow>();
    for (int slot = 0; slot < SLOTS; slot++) {
      long base = base(slot);
      var usageClass = UsageClass.of(longs.getAtIndex(LONG, base));
      if (usageClass == null) {
        break;
      }
      rows.add(
          new UsageRow(
              new UUID(
                  longs.getAtIndex(LONG, base + CLUSTER),
                  longs.getAtIndex(LONG, base + CLUSTER + 1)),
              Instant.ofEpochSecond(longs.getAtIndex(LONG, base + MINUTE) * 60),
              usageClass,
              longs.getAtIndex(LONG, base + REQUESTS),
              longs.getAtIndex(LONG, base + MESSAGES),
              longs.getAtIndex(LONG, base + BYTES_IN),
              longs.getAtIndex(LONG, base + BYTES_OUT)));
    }
    return rows;
  }

  private static long base(int slot) {
    return HEADER_LONGS + (long) slot * LONGS_PER_SLOT;
  }
}
