package dev.queencell.broker.http;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** Points in time on the wire: ISO-8601, UTC, six digits of a second. */
final class Times {
  private static final DateTimeFormatter MICROS =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

  private static final int DATE_CHARS = "2026-01-31".length();

  private Times() {}

  static String text(Instant instant) {
    return MICROS.format(instant);
  }

  /**
   * Reads ISO-8601: a time with or without an offset, UTC if without, or a date, whose midnight it
   * is; null when it is something else.
   */
  static Instant parse(String text) {
    try {
      if (text.length() == DATE_CHARS) {
        return LocalDate.parse(text).atStartOfDay(ZoneOffset.UTC).toInstant();
      }
      // A plus sign that nobody encoded arrives as a space.
      var parsed =
          DateTimeFormatter.ISO_DATE_TIME.parseBest(
              text.replace(' ', '+'), OffsetDateTime::from, LocalDateTime::from);
      return parsed instanceof OffsetDateTime offset
          ? offset.toInstant()
          : ((LocalDateTime) parsed).toInstant(ZoneOffset.UTC);
    } catch (DateTimeException e) {
      return null;
    }
  }
}
