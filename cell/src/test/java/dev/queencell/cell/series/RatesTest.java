package dev.queencell.cell.series;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;

class RatesTest {
  @Test
  void aFactorGivesRatesOfTwoDigitsUpToTheLast() {
    assertEquals(List.of(500.0, 710.0, 1000.0, 1400.0, 2000.0), Rates.byFactor(500, 2000, 1.4142));
    assertEquals(List.of(0.5, 1.0), Rates.byFactor(0.5, 1, 2));
    assertEquals(List.of(500.0), Rates.byFactor(500, 500, 2));
  }

  @Test
  void aRateThatRoundingWouldLiftOverTheLastIsTheLast() {
    assertEquals(List.of(995.0), Rates.byFactor(995, 995, 2));
  }

  @Test
  void aStepGivesRatesAtEqualDistance() {
    assertEquals(List.of(100.0, 350.0, 600.0), Rates.byStep(100, 700, 250));
  }

  @Test
  void listedRatesAscendAndComeOnce() {
    assertEquals(List.of(1.0, 20.0, 300.0), Rates.listed(List.of(300.0, 1.0, 20.0, 1.0)));
  }

  @Test
  void betweenIsByRatioAndNeverOneOfTheTwo() {
    assertEquals(1700.0, Rates.between(1400, 2000));
    double between = Rates.between(1000, 1050);
    assertEquals(1024.695, between, 0.001);
  }

  @Test
  void whatIsNoLadderIsRefusedInWords() {
    refused("--from 10 --to 5 is no range", () -> Rates.byFactor(10, 5, 2));
    refused("--from 0 --to 5 is no range", () -> Rates.byStep(0, 5, 1));
    refused("--factor is 1.0", () -> Rates.byFactor(1, 5, 1));
    refused("--step is 0.0", () -> Rates.byStep(1, 5, 0));
    refused("more than 100 rates", () -> Rates.byStep(1, 1000, 1));
    refused("--rates has -1", () -> Rates.listed(List.of(-1.0)));
  }

  private static void refused(String part, org.junit.jupiter.api.function.Executable executable) {
    var text = assertThrows(IllegalArgumentException.class, executable).getMessage();
    assertEquals(true, text.contains(part), text);
  }
}
