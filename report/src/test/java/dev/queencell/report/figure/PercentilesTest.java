package dev.queencell.report.figure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class PercentilesTest {
  @Test
  void theCurveOfAThousandEndsAtThreeNines() {
    var histogram = new Histogram(3);
    for (int i = 1; i <= 1000; i++) {
      histogram.recordValue(i * 1000L);
    }
    var points = Percentiles.curve("all", "delivered", histogram).points();
    assertEquals(3, points.getLast().x(), 1e-9);
    assertEquals(999, points.getLast().y(), 1);
    double atNinety =
        points.stream()
            .filter(point -> Math.abs(point.x() - 1) < 1e-9)
            .findFirst()
            .orElseThrow()
            .y();
    assertEquals(900, atNinety, 1);
  }

  @Test
  void nothingMeasuredIsNothingDrawn() {
    assertTrue(Percentiles.curve("none", "delivered", null).isEmpty());
    assertTrue(Percentiles.curve("none", "delivered", new Histogram(3)).isEmpty());
  }
}
