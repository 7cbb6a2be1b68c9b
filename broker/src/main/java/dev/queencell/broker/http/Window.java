package dev.queencell.broker.http;

import dev.queencell.service.HttpProblem;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * The span of time that a query asks for with {@code from} and {@code to}, and the width of the
 * buckets that answers to it are made of.
 */
record Window(Instant from, Instant to) {
  /** The years that microseconds and minutes since the epoch are safely counted in. */
  private static final Instant EARLIEST = Instant.EPOCH;

  private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

  /**
   * Reads a query.
   *
   * @param back where the span begins when the query does not say, counted from now
   * @throws HttpProblem 400 when one of them is no point in time
   */
  static Window of(Query query, Duration back) {
    var now = Instant.now();
    return new Window(time(query, "from", now.minus(back)), time(query, "to", now));
  }

  private static Instant time(Query query, String name, Instant fallback) {
    var text = query.text(name);
    if (text == null) {
      return fallback;
    }
    var time = Times.parse(text);
    if (time == null) {
      throw HttpProblem.badRequest(
          "bad query: %s is '%s'; it takes a time like 2026-01-31T12:00:00Z or a date like 2026-01-31"
              .formatted(name, text));
    }
    return time.isBefore(EARLIEST) ? EARLIEST : time.isAfter(LATEST) ? LATEST : time;
  }

  /** The end of the minute that {@code to} is in. */
  Instant toMinuteEnd() {
    return to.truncatedTo(ChronoUnit.MINUTES).plus(1, ChronoUnit.MINUTES);
  }

  static long micros(Instant instant) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
  }

  int fromMinute() {
    return minute(from);
  }

  /** Exclusive. */
  int toMinute() {
    return minute(toMinuteEnd());
  }

  /** Minutes are counted in an int, which ends in the year 6053: nothing is stored behind that. */
  private static int minute(Instant instant) {
    return Math.clamp(instant.getEpochSecond() / 60, 0, Integer.MAX_VALUE);
  }

  /** How wide a bucket is: few enough of them for a chart, whatever the span. */
  int bucketMinutes() {
    long minutes = Math.max(0, Duration.between(from, to).toMinutes());
    if (minutes <= 60) {
      return 1;
    }
    if (minutes <= 6 * 60) {
      return 5;
    }
    if (minutes <= 24 * 60) {
      return 15;
    }
    return minutes <= 7 * 24 * 60 ? 60 : 360;
  }
}
