package dev.queencell.report.page;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.queencell.report.figure.Figure.Unit;
import org.junit.jupiter.api.Test;

class UnitsTest {
  @Test
  void threeDigitsCount() {
    assertEquals("0.123", Units.digits(0.1234));
    assertEquals("1.23", Units.digits(1.234));
    assertEquals("12.3", Units.digits(12.34));
    assertEquals("1,234", Units.digits(1234.4));
    assertEquals("0", Units.digits(0));
  }

  @Test
  void numbersCarryTheirUnit() {
    assertEquals("2,000/s", Units.perSecond(2000));
    assertEquals("0.4/s", Units.perSecond(0.4));
    assertEquals("741 ms", Units.ms(741.2));
    assertEquals("53.8 s", Units.ms(53_805));
    assertEquals("840 µs", Units.micros(840.4));
    assertEquals("4.00 GiB", Units.bytes(4L << 30));
    assertEquals("12.3%", Units.share(0.123));
  }

  @Test
  void aCapReadsAsItWasAskedFor() {
    assertEquals("1 CPU", Units.capCpus(1));
    assertEquals("0.5 CPUs", Units.capCpus(0.5));
    assertEquals("20 CPUs", Units.capCpus(20));
    assertEquals("4 GiB", Units.capMemory(4L << 30));
    assertEquals("1.25 GiB", Units.capMemory(1.25 * (1L << 30)));
    assertEquals("–", Units.capCpus(Double.NaN));
  }

  @Test
  void theUnknownIsADashAndNeverZero() {
    for (var unit : Unit.values()) {
      assertEquals("–", Units.of(unit, Double.NaN));
      assertEquals("–", Units.signed(unit, Double.NaN));
    }
  }

  @Test
  void differencesShowTheirSign() {
    assertEquals("+12.0 ms", Units.signed(Unit.MS, 12));
    assertEquals("−50.0 µs", Units.signed(Unit.MICROS, -50));
    assertEquals("±0 µs", Units.signed(Unit.MICROS, 0));
  }
}
