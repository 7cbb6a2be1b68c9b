package dev.queencell.broker.engine;

import dev.queencell.broker.store.Frames;
import dev.queencell.broker.store.QueueOptions;
import dev.queencell.broker.store.Segment;

/**
 * What a queue's options let be seen of its lanes at one moment: nothing that is older than {@code
 * ttl}, nothing that is younger than {@code delayedProcessing} or than its own delay. A lane is
 * served from its head, so that a message which is not to be seen yet hides all behind it.
 *
 * @param nowMicros the moment, by the clock that gives messages their time
 * @param aliveFromMicros what was written before is never delivered; 0 for nothing
 * @param delayMicros how old a message must be
 * @param windowMicros how long a message waits for others behind it
 */
record Visibility(long nowMicros, long aliveFromMicros, long delayMicros, long windowMicros) {
  private static final long MICROS_PER_SECOND = 1_000_000L;

  static Visibility of(QueueOptions options, long nowMicros) {
    long ttl = options.ttlInForceSeconds() * MICROS_PER_SECOND;
    return new Visibility(
        nowMicros,
        ttl == 0 ? 0 : Math.max(0, nowMicros - ttl),
        Math.max(0, options.delayedProcessing()) * MICROS_PER_SECOND,
        Math.max(0, options.windowBuffer()) * MICROS_PER_SECOND);
  }

  boolean isExpired(Segment segment) {
    return segment.createdAtMicros() < aliveFromMicros;
  }

  /** How long until a segment may be seen; 0 when it may. Its messages may have more to wait. */
  long untilVisibleMicros(Segment segment) {
    return delayMicros == 0 ? 0 : Math.max(0, segment.createdAtMicros() + delayMicros - nowMicros);
  }

  /** How long the message at the head waits for others; 0 when it has waited. */
  long untilGatheredMicros(Segment head) {
    return windowMicros == 0 ? 0 : Math.max(0, head.createdAtMicros() + windowMicros - nowMicros);
  }

  /** How many messages of a segment, from one on, are due before the first that is not. */
  int dueCount(Segment segment, int skip, int count) {
    if (!Frames.someDelayed(segment.frames())) {
      return count;
    }
    var frame = new Frames.Reader(segment.frames());
    frame.skip(skip);
    for (int i = 0; i < count; i++) {
      frame.next();
      if (untilDueMicros(segment, frame) > 0) {
        return i;
      }
    }
    return count;
  }

  /** How long until one message of a segment is due. */
  long untilDueMicros(Segment segment, int index) {
    var frame = new Frames.Reader(segment.frames());
    frame.skip(index);
    frame.next();
    return untilDueMicros(segment, frame);
  }

  private long untilDueMicros(Segment segment, Frames.Reader frame) {
    long due = segment.createdAtMicros() + frame.delaySeconds() * MICROS_PER_SECOND;
    return Math.max(0, due - nowMicros);
  }

  /** The last message of a segment's {@code [from, to)} that is due; -1 when none is. */
  int lastDue(Segment segment, int from, int to) {
    if (!Frames.someDelayed(segment.frames())) {
      return to - 1;
    }
    var frame = new Frames.Reader(segment.frames());
    frame.skip(from);
    int last = -1;
    for (int i = from; i < to; i++) {
      frame.next();
      if (untilDueMicros(segment, frame) == 0) {
        last = i;
      }
    }
    return last;
  }
}
