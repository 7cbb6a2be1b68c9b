package dev.queencell.cell.series;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

class SpreadTest {
  @Test
  void theMedianOfAnEvenNumberIsBetweenTheTwoInTheMiddle() {
    assertEquals(new Spread(2.5, 1, 10, 4), Spread.of(DoubleStream.of(10, 1, 3, 2)));
    assertEquals(new Spread(3, 1, 10, 3), Spread.of(DoubleStream.of(3, 10, 1)));
  }

  @Test
  void whatIsNotKnownIsLeftOut() {
    assertEquals(new Spread(5, 5, 5, 1), Spread.of(DoubleStream.of(Double.NaN, 5)));
    var none = Spread.of(DoubleStream.of(Double.NaN, Double.POSITIVE_INFINITY));
    assertEquals(0, none.rounds());
    assertEquals("?", none.text(Metric.P50));
    assertTrue(none.json().path("median").isNull());
  }

  @Test
  void oneRoundHasNoSpreadToShow() {
    assertEquals("5.0", Spread.of(DoubleStream.of(5)).text(Metric.P50));
    assertEquals("5.5 (-5.0..16.0)", Spread.of(DoubleStream.of(-5, 16)).text(Metric.P50));
  }
}
