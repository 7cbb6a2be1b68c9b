package dev.queencell.broker.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TimesTest {
  @ParameterizedTest
  @CsvSource({
    "2026-11-30T12:00:00Z, 2026-11-30T12:00:00Z",
    "2026-11-30T12:00:00.5+01:00, 2026-11-30T11:00:00.5Z",
    "2026-11-30T12:00:00 01:00, 2026-11-30T11:00:00Z",
    "2026-11-30T12:00, 2026-11-30T12:00:00Z",
    "2026-11-30, 2026-11-30T00:00:00Z"
  })
  void aTimeHasAnOffsetOrIsInUtcAndADateIsItsMidnight(String text, Instant expected) {
    assertEquals(expected, Times.parse(text));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "yesterday", "2026-11-31", "2026-11", "20261130", "12:00:00Z", "2026-11-30Z"})
  void anythingElseIsNoTime(String text) {
    assertNull(Times.parse(text));
  }
}
