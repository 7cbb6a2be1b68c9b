package dev.queencell.broker.http;

import java.util.concurrent.atomic.LongAdder;

/** What only the wire knows about itself, counted since the start. Thread-safe. */
final class HttpCounters {
  /** Bytes of pop answers. */
  final LongAdder popAnswerBytes = new LongAdder();

  /** Pops whose client went away before its answer was written. */
  final LongAdder popsAbandoned = new LongAdder();

  /** Requests that were sent to the owner. */
  final LongAdder redirects = new LongAdder();

  /** Requests that were refused because nobody could decide them now. */
  final LongAdder unavailable = new LongAdder();
}
