package dev.queencell.cell.summary;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ServiceCountersTest {
  private static final String PUSHES = "queencell_proxy_requests_seconds_count{class=\"push\"}";
  private static final String POPS = "queencell_proxy_requests_seconds_count{class=\"pop\"}";
  private static final Window WINDOW = new Window(2_000, 6_000);

  private final List<Map<String, String>> rows = new ArrayList<>();

  @Test
  void theLabelsOfACounterAddUpOverTheWindowOnly() {
    for (int second = 0; second <= 8; second++) {
      value(second * 1_000L, PUSHES, 1_000 + 100.0 * second);
      value(second * 1_000L, POPS, 10.0 * second);
      value(second * 1_000L, "queencell_proxy_requests_seconds_count_of_others", 7.0 * second);
    }
    assertEquals(110, perSecond(), 1e-9);
  }

  @Test
  void whatGrewOverAnEdgeOfTheWindowCountsByItsTimeInside() {
    for (int at = 500; at <= 8_500; at += 1_000) {
      value(at, PUSHES, at < 2_500 ? 0 : 40);
    }
    // 40 between 1.5 and 2.5 s: half of that second is inside.
    assertEquals(20 / 4.0, perSecond(), 1e-9);
  }

  @Test
  void aLineThatIsMissingBecauseNothingChangedSpreadsNoIncrease() {
    for (int second = 0; second <= 8; second++) {
      value(second * 1_000L, "up", second);
    }
    value(0, PUSHES, 5);
    value(7_000, PUSHES, 500);
    assertEquals(0, perSecond());
    value(4_000, PUSHES, 45);
    assertEquals(40 / 4.0, perSecond(), 1e-9);
  }

  @Test
  void aSeriesThatAppearsLaterBeganAtNothing() {
    for (int second = 0; second <= 8; second++) {
      value(second * 1_000L, "up", second);
    }
    value(3_000, PUSHES, 80);
    assertEquals(20, perSecond(), 1e-9);
  }

  @Test
  void aRestartedServiceBeginsAtNothing() {
    for (int second = 0; second <= 8; second++) {
      value(second * 1_000L, PUSHES, second < 4 ? 1_000 + 10 * second : 10 * (second - 3));
    }
    assertEquals(10, perSecond(), 1e-9);
  }

  @Test
  void aServiceThatFellSilentOrHasNoSuchCounterIsNotKnown() {
    assertEquals(Double.NaN, perSecond());
    for (int second = 0; second <= 3; second++) {
      value(second * 1_000L, PUSHES, second);
    }
    assertEquals(Double.NaN, perSecond());
    assertEquals(
        Double.NaN,
        ServiceCounters.of(rows).perSecond(WINDOW, "broker", "queencell_commits_total"));
  }

  private void value(long atMs, String series, double value) {
    rows.add(
        Map.of(
            "monotonicMs",
            Long.toString(atMs),
            "source",
            "proxy",
            "series",
            series,
            "value",
            Double.toString(value)));
  }

  private double perSecond() {
    return ServiceCounters.of(rows).perSecond(WINDOW, "proxy", ServiceCounters.PROXY_REQUESTS);
  }
}
