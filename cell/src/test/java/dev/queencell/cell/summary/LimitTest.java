package dev.queencell.cell.summary;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class LimitTest {
  private static final double OFFERED = 1_000;

  private static String limit(
      boolean saturated, double delivered, double refused, double throttled, double cores) {
    return Limit.of(
            new Limit.Evidence(saturated, true, OFFERED, delivered, refused, throttled, cores, 1))
        .word();
  }

  @Test
  void aSaturatedLoaderIsTheLimitOnlyOfACellThatFellBehindWithCpuToSpare() {
    assertEquals("loader", limit(true, 500, 0, 0.19, 0.89));
    assertEquals("nothing", limit(true, 1_000, 0, 0.1, 0.5));
    assertEquals("cpu-cap", limit(true, 500, 0, 0.9, 1));
    assertEquals("quota", limit(true, 600, 400, 0.0, 0.5));
  }

  @Test
  void withoutACapASaturatedLoaderOnAFullMachineIsTheLimit() {
    var full = new Limit.Evidence(true, false, OFFERED, 500, 0, Double.NaN, 1.9, 2);
    assertEquals(Limit.LOADER, Limit.of(full));
    var calm = new Limit.Evidence(false, false, OFFERED, 500, 0, Double.NaN, 1.9, 2);
    assertEquals(Limit.CPU_CAP, Limit.of(calm));
  }

  @Test
  void aPointThatDeliversWhatWasOfferedIsLimitedByNothingEvenAtItsCap() {
    assertEquals("nothing", limit(false, 970, 0, 0.5, 1));
    assertEquals("cpu-cap", limit(false, 969, 0, 0.5, 1));
  }

  @Test
  void refusalsThatExplainHalfOfTheShortfallAreTheQuota() {
    assertEquals("quota", limit(false, 600, 200, 0.5, 1));
    assertEquals("cpu-cap", limit(false, 600, 199, 0.5, 1));
  }

  @Test
  void throttlingOrAFullCapIsTheCap() {
    assertEquals("cpu-cap", limit(false, 500, 0, 0.2, 0.5));
    assertEquals("cpu-cap", limit(false, 500, 0, 0.0, 0.9));
  }

  @Test
  void aCellWithCpuToSpareThatFellBehindWaitsForCommits() {
    assertEquals("commits", limit(false, 500, 0, 0.19, 0.89));
  }

  @Test
  void withoutAnOfferedRateTheCellAlwaysHasALimit() {
    var closedLoop = new Limit.Evidence(false, true, Double.NaN, 9_000, 0, 0.0, 0.4, 1);
    assertEquals(Limit.COMMITS, Limit.of(closedLoop));
  }

  @Test
  void whatIsNotKnownDecidesNothing() {
    var blind =
        new Limit.Evidence(false, true, OFFERED, 500, 0, Double.NaN, Double.NaN, Double.NaN);
    assertEquals(Limit.COMMITS, Limit.of(blind));
  }
}
