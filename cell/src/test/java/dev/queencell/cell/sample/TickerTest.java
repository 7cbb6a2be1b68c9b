package dev.queencell.cell.sample;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class TickerTest {
  private static final long START = 5_000;
  private static final long INTERVAL = 1_000;

  private final Ticker ticker = new Ticker(START, INTERVAL);

  @Test
  void ticksStayOnTheScheduleHoweverLongTheWorkTook() {
    assertEquals(0, ticker.waitNanos(START));
    ticker.take(START);
    assertEquals(300, ticker.waitNanos(START + 700));
    ticker.take(START + 1_020);
    assertEquals(980, ticker.waitNanos(START + 1_020));
    assertEquals(0, ticker.skipped());
  }

  @Test
  void aTickWhoseIntervalHasPassedIsSkippedAndCounted() {
    ticker.take(START);
    ticker.take(START + 3_100);
    assertEquals(2, ticker.skipped());
    assertEquals(900, ticker.waitNanos(START + 3_100));
  }

  @Test
  void aTickTakenEarlyAtTheEndSkipsNone() {
    ticker.take(START);
    ticker.take(START + 200);
    assertEquals(0, ticker.skipped());
    assertEquals(1_800, ticker.waitNanos(START + 200));
  }
}
