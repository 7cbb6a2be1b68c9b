package dev.queencell.cell.series;

import dev.queencell.cell.output.TextTable;
import java.util.List;

/** A comparison for a terminal: a table per rate, and what the proxy costs in words. */
final class CompareText {
  private CompareText() {}

  static String render(CompareFolder.Plan plan, List<Comparison> comparisons) {
    var text = new StringBuilder();
    for (var one : comparisons) {
      text.append(
          "%s/s, %d of %d rounds, median (least..most)%n"
              .formatted(Rates.plain(one.ratePerSec()), one.rounds().size(), plan.rounds()));
      if (!one.rounds().isEmpty()) {
        text.append(table(plan, one));
      }
      if (one.discarded() > 0) {
        text.append(
            "%d rounds don't count: a verdict of theirs is no PASS%n".formatted(one.discarded()));
      }
      text.append('\n');
    }
    comparisons.forEach(one -> text.append(proxyCost(one)));
    return text.toString();
  }

  private static String table(CompareFolder.Plan plan, Comparison one) {
    var a = plan.a().name();
    var b = plan.b().name();
    var table = new TextTable("", a, b, a + " − " + b);
    for (var metric : CompareFolder.METRICS) {
      table.row(
          metric.title(),
          one.a(metric).text(metric),
          one.b(metric).text(metric),
          one.difference(metric).text(metric));
    }
    return table.render();
  }

  /** Where one side goes through the proxy and the other does not. */
  private static String proxyCost(Comparison one) {
    boolean throughProxy =
        one.rounds().stream()
            .allMatch(
                round ->
                    round.a().text("target").equals("proxy")
                        && round.b().text("target").equals("broker"));
    if (one.rounds().isEmpty() || !throughProxy) {
      return "";
    }
    return "the proxy at %s/s: %s CPU µs per request of its own, %s of the cell; latency p50 %s ms, p99 %s ms more%n"
        .formatted(
            Rates.plain(one.ratePerSec()),
            one.a(Metric.PROXY_REQUEST_CPU).text(Metric.PROXY_REQUEST_CPU),
            one.cellCpuPerProxyRequest().text(Metric.PROXY_REQUEST_CPU),
            one.difference(Metric.P50).text(Metric.P50),
            one.difference(Metric.P99).text(Metric.P99));
  }
}
