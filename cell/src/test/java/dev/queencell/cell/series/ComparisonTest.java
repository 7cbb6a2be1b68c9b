package dev.queencell.cell.series;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

class ComparisonTest {
  /** The machine gets slower from round to round by more than the sides differ. */
  private static final List<Comparison.Round> DRIFTING =
      List.of(round(300, 200, 2), round(510, 400, 2), round(720, 600, 2));

  @Test
  void aDifferenceIsTakenWithinARoundSoThatDriftDoesNotBlurIt() {
    var comparison = Comparison.of(500, DRIFTING);
    assertEquals(new Spread(510, 300, 720, 3), comparison.a(Metric.CELL_CPU));
    assertEquals(new Spread(400, 200, 600, 3), comparison.b(Metric.CELL_CPU));
    assertEquals(new Spread(110, 100, 120, 3), comparison.difference(Metric.CELL_CPU));
  }

  @Test
  void whatARequestAddsIsTheDifferenceOverTheProxysRequests() {
    assertEquals(new Spread(55, 50, 60, 3), Comparison.of(500, DRIFTING).cellCpuPerProxyRequest());
  }

  @Test
  void aRoundCountsOnlyWhenBothVerdictsPass() {
    var losing =
        new Comparison.Round(
            point(Points.passing(500).put("verdict", "FAIL")), point(Points.passing(500)));
    var comparison = Comparison.of(500, List.of(losing, round(300, 200, 2)));
    assertEquals(1, comparison.rounds().size());
    assertEquals(1, comparison.discarded());
    assertEquals(new Spread(100, 100, 100, 1), comparison.difference(Metric.CELL_CPU));
  }

  @Test
  void whatOneSideDoesNotKnowHasNoDifference() {
    var comparison = Comparison.of(500, DRIFTING);
    assertEquals(0, comparison.difference(Metric.PROXY_REQUEST_CPU).rounds());
    assertEquals(3, comparison.a(Metric.PROXY_REQUEST_CPU).rounds());
  }

  @Test
  void theCostOfTheProxyIsToldOnlyWhereOneSideGoesThroughIt() {
    var plan =
        new CompareFolder.Plan(
            new CompareFolder.Side("proxy", List.of()),
            new CompareFolder.Side("broker", List.of()),
            List.of(500.0),
            3,
            45,
            45,
            10);
    var text = CompareText.render(plan, List.of(Comparison.of(500, DRIFTING)));
    assertTrue(
        text.contains(
            "the proxy at 500/s: 58.0 (58.0..58.0) CPU µs per request of its own, 55.0 (50.0..60.0)"
                + " of the cell; latency p50 0.0 (0.0..0.0) ms, p99 0.0 (0.0..0.0) ms more"),
        text);
    assertTrue(text.contains("cell CPU µs/msg       510 (300..720)"), text);
    var same = List.of(new Comparison.Round(DRIFTING.getFirst().a(), DRIFTING.getFirst().a()));
    assertTrue(
        !CompareText.render(plan, List.of(Comparison.of(500, same))).contains("the proxy at"));
  }

  private static Comparison.Round round(double cpuA, double cpuB, double requests) {
    var a = Points.passing(500).put("cellCpuMicrosPerMessage", cpuA).put("target", "proxy");
    a.put("proxyRequestsPerMessage", requests).put("proxyCpuMicrosPerRequest", 58);
    var b = Points.passing(500).put("cellCpuMicrosPerMessage", cpuB).put("target", "broker");
    b.putNull("proxyCpuMicrosPerRequest");
    return new Comparison.Round(point(a), point(b));
  }

  private static MeasuredPoint point(ObjectNode summary) {
    return new MeasuredPoint("p", summary);
  }
}
