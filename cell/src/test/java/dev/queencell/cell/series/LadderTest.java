package dev.queencell.cell.series;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

class LadderTest {
  private static final double P99_LIMIT_MS = 250;

  private final List<Rung> rungs = new ArrayList<>();
  private LadderPlan plan = plan(0);

  @Test
  void itClimbsFromTheLowestRate() {
    assertEquals(Optional.of(500.0), ladder().next());
    measured(500, Points.passing(500));
    assertEquals(Optional.of(1000.0), ladder().next());
  }

  @Test
  void itStopsAtTheFirstRateOfWhichTooLittleArrived() {
    measured(500, Points.passing(500));
    measured(1000, Points.falling(1000, 0.969));
    assertEquals(Optional.empty(), ladder().next());
    assertEquals(500.0, ladder().ceiling().orElseThrow().ratePerSec());
    assertEquals("cpu-cap", ladder().limitedBy());
    assertEquals("achieved 96.9% of offered", ladder().limit().orElseThrow().failure());
  }

  @Test
  void ninetySevenPercentAreEnough() {
    measured(500, Points.falling(500, 0.97));
    assertEquals(Optional.of(1000.0), ladder().next());
    assertTrue(ladder().rungs().getFirst().passes());
  }

  @Test
  void whatWasPushedCountsAsMuchAsWhatWasDelivered() {
    measured(500, Points.passing(500).put("achievedPushPerSec", 400));
    assertEquals(Rung.Outcome.ACHIEVED, ladder().rungs().getFirst().outcome());
  }

  @Test
  void oneLateRateIsAnAccidentAndTwoInARowAreTheEnd() {
    measured(500, Points.late(500, 251));
    assertEquals(Optional.of(1000.0), ladder().next());
    measured(1000, Points.passing(1000));
    measured(2000, Points.late(2000, 300));
    assertEquals(Optional.of(4000.0), ladder().next());
    measured(4000, Points.late(4000, 900));
    assertEquals(Optional.empty(), ladder().next());
    assertEquals(1000.0, ladder().ceiling().orElseThrow().ratePerSec());
    assertEquals("latency", ladder().limitedBy());
    assertEquals("p99 300 ms over 250 ms", ladder().limit().orElseThrow().failure());
  }

  @Test
  void aLateRateBelowOneThatPassesDoesNotLowerTheCeiling() {
    measured(500, Points.late(500, 300));
    measured(1000, Points.passing(1000));
    assertEquals(1000.0, ladder().ceiling().orElseThrow().ratePerSec());
  }

  @Test
  void aVerdictThatIsNoPassCountsForNothingAndStopsTheClimb() {
    for (var verdict : List.of("FAIL", "UNVERIFIED", "", "PASSED")) {
      rungs.clear();
      measured(500, Points.passing(500).put("verdict", verdict));
      assertEquals(Optional.empty(), ladder().next(), verdict);
      assertEquals(Optional.empty(), ladder().ceiling());
      assertEquals("verdict", ladder().limitedBy());
    }
    rungs.clear();
    measured(500, Points.passing(500).put("verdict", "PASS (enforced)"));
    assertTrue(ladder().rungs().getFirst().passes());
  }

  @Test
  void aNumberThatIsNotKnownPassesNothing() {
    measured(500, Points.passing(500).putNull("deliveredPerSec"));
    assertFalse(ladder().rungs().getFirst().passes());
    rungs.clear();
    var noLatency = Points.passing(500);
    noLatency.remove("latencyMs");
    measured(500, noLatency);
    assertEquals(Rung.Outcome.P99, ladder().rungs().getFirst().outcome());
  }

  @Test
  void ratesBetweenTheLastThatPassedAndTheNextNarrowTheGap() {
    plan = plan(2);
    measured(500, Points.passing(500));
    measured(1000, Points.passing(1000));
    measured(2000, Points.falling(2000, 0.8));
    assertEquals(Optional.of(1400.0), ladder().next());
    measured(1400, Points.passing(1400));
    assertEquals(Optional.of(1700.0), ladder().next());
    measured(1700, Points.falling(1700, 0.9));
    assertEquals(Optional.empty(), ladder().next());
    assertEquals(1400.0, ladder().ceiling().orElseThrow().ratePerSec());
    assertEquals(1700.0, ladder().limit().orElseThrow().ratePerSec());
  }

  @Test
  void whereEveryRatePassedTheCeilingIsOpen() {
    plan = plan(2);
    for (double rate : plan.rates()) {
      measured(rate, Points.passing(rate));
    }
    assertEquals(Optional.empty(), ladder().next());
    assertEquals(4000.0, ladder().ceiling().orElseThrow().ratePerSec());
    assertEquals("", ladder().limitedBy());
    assertEquals("ceiling 4000/s, and no higher rate was tried", LadderText.ceiling(ladder()));
  }

  @Test
  void whereNoRatePassedThereIsNothingToNarrow() {
    plan = plan(2);
    measured(500, Points.falling(500, 0.5));
    assertEquals(Optional.empty(), ladder().next());
    assertEquals(
        "no rate passed, limited by cpu-cap: at 500/s achieved 50.0% of offered, 90.0% throttled",
        LadderText.ceiling(ladder()));
  }

  @Test
  void aSaturatedLoaderIsTold() {
    measured(500, Points.passing(500));
    measured(1000, Points.falling(1000, 0.5).put("loaderSaturated", true));
    assertEquals(
        "ceiling 500/s, limited by cpu-cap: at 1000/s achieved 50.0% of offered, 90.0% throttled;"
            + " the loader was saturated, so latencies are partly its own",
        LadderText.ceiling(ladder()));
  }

  @Test
  void theTableAndTheChartHaveALineForEveryStep() {
    measured(500, Points.passing(500));
    measured(1000, Points.late(1000, 1000));
    measured(2000, Points.falling(2000, 0.5));
    assertEquals(
        """
        rate/s  pushed/s  delivered/s  p50 ms  p99 ms  cell cores  cell CPU µs/msg  throttled %  commits/msg  loader cores  limited by  result
           500       500          500     5.0    20.0        0.50             1000          2.0        0.500          0.30  nothing     passed
          1000      1000         1000     5.0  1000.0        0.50              500         60.0        0.500          0.30  nothing     p99 1000 ms over 250 ms
          2000      2000         1000     5.0    20.0        0.50              250         90.0        0.500          0.30  cpu-cap     achieved 50.0% of offered
        """,
        LadderText.table(ladder()));
    assertEquals(
        """
        rate/s  delivered (.: offered only)               p99 ms (:: per power of 10)
           500  ##########                                ::::::::::::: 20.0
          1000  ####################                      :::::::::::::::::::::::::::::: 1000.0
          2000  ####################....................  ::::::::::::: 20.0
        """,
        LadderText.chart(ladder()));
  }

  private Ladder ladder() {
    return new Ladder(plan, rungs);
  }

  private void measured(double rate, ObjectNode summary) {
    rungs.add(new Rung(rate, new MeasuredPoint("rate-" + rate, summary), plan));
  }

  private static LadderPlan plan(int refine) {
    return new LadderPlan(
        "proxy",
        "s1",
        List.of("-mode", "cloud"),
        List.of(500.0, 1000.0, 2000.0, 4000.0),
        refine,
        P99_LIMIT_MS,
        LadderPlan.ACHIEVED_SHARE_MIN,
        45,
        45,
        10);
  }
}
