package dev.queencell.broker.engine;

import dev.queencell.broker.store.Frames;
import dev.queencell.broker.store.KeyReader;
import dev.queencell.broker.store.KeyReader.Found;
import dev.queencell.broker.store.KeyReader.Hashes;
import dev.queencell.broker.store.SegmentReader;
import dev.queencell.broker.store.SegmentReader.Place;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * What is read of one partition's window, beside its lane. The keys behind the index come whole
 * where they are no more than wanted; else the index takes some more of them, and whoever asked
 * asks again. So each key goes into the index once at most, and a read touches no more than it
 * brings.
 *
 * @param keyPlace where the partition's keys are
 * @param place where its segments are
 * @param nextOffset its end
 * @param asked keys that are looked for
 * @param probesOnly the lane knows what is not in the index
 * @param keysMax keys that may come whole
 */
record DedupRead(
    Place keyPlace,
    Place place,
    long nextOffset,
    long sinceMicros,
    Set<TransactionKey> asked,
    boolean probesOnly,
    int keysMax) {
  private static final long MICROS_PER_MS = 1_000;

  /** Segments of one millisecond that are read at once, in number and in packed bytes. */
  private static final int SEGMENTS_AT_ONCE = 8;

  private static final long BYTES_AT_ONCE = 1024 * 1024;

  /** How far it came. */
  enum Extent {
    /** The index has got a step further; nothing else was read. */
    STEP,
    /** Everything since the instant. */
    WHOLE,
    /** Everything behind the index, and of what is in it what was asked for. */
    INDEXED
  }

  /** Where one of the broker's own ids is; {@link DedupWindow#ABSENT} for nowhere. */
  record Minted(TransactionKey key, long offset, long createdAtMicros) {}

  /**
   * What it brought.
   *
   * @param indexedTo below this offset keys are in the index
   * @param rows behind the index
   * @param found in the index
   */
  record Reading(
      Extent extent, long indexedTo, List<Hashes> rows, List<Found> found, List<Minted> minted) {}

  Reading read(Connection connection) throws SQLException {
    var keys = new KeyReader(connection);
    boolean indexed = probesOnly;
    long indexedTo = 0;
    List<Hashes> rows = List.of();
    if (!probesOnly) {
      var mark = keys.mark(keyPlace);
      indexedTo = mark.nextOffset();
      indexed = mark.newestAtMicros() >= sinceMicros;
      long from = keys.firstSince(keyPlace, indexedTo, nextOffset, sinceMicros);
      if (keys.count(keyPlace, from, keysMax + 1) > keysMax) {
        keys.index(keyPlace, from);
        return new Reading(Extent.STEP, indexedTo, List.of(), List.of(), List.of());
      }
      rows = keys.hashes(keyPlace, from);
    }
    List<Found> found = List.of();
    if (indexed) {
      found = keys.probe(keyPlace, sinceMicros, asked.stream().map(DedupRead::bytes).toList());
    }
    var minted = new ArrayList<Minted>(0);
    for (var key : asked) {
      if (IdMint.isMinted(key)) {
        minted.add(find(new SegmentReader(connection), key));
      }
    }
    return new Reading(indexed ? Extent.INDEXED : Extent.WHOLE, indexedTo, rows, found, minted);
  }

  private static byte[] bytes(TransactionKey key) {
    return ByteBuffer.allocate(TransactionKey.BYTES).putLong(key.high()).putLong(key.low()).array();
  }

  /** An id tells the instant of its segment: the few of that millisecond are looked through. */
  private Minted find(SegmentReader segments, TransactionKey key) throws SQLException {
    long fromMicros = IdMint.epochMs(key) * MICROS_PER_MS;
    long toMicros = fromMicros + MICROS_PER_MS;
    if (toMicros <= sinceMicros) {
      return new Minted(key, DedupWindow.ABSENT, 0);
    }
    long next = segments.firstSince(place, 0, nextOffset, fromMicros);
    while (next < nextOffset) {
      var some = segments.forward(place, next, nextOffset, SEGMENTS_AT_ONCE, BYTES_AT_ONCE);
      for (var segment : some) {
        if (segment.createdAtMicros() >= toMicros) {
          return new Minted(key, DedupWindow.ABSENT, 0);
        }
        var frame = new Frames.Reader(segment.frames());
        for (long offset = segment.base(); frame.next(); offset++) {
          if (frame.transactionIsId() && TransactionKey.of(frame).equals(key)) {
            return new Minted(key, offset, segment.createdAtMicros());
          }
        }
        next = segment.end();
      }
      if (some.isEmpty()) {
        break;
      }
    }
    return new Minted(key, DedupWindow.ABSENT, 0);
  }
}
