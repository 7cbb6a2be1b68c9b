package dev.queencell.report.page;

import dev.queencell.report.figure.Comparison;
import dev.queencell.report.figure.Figure.Unit;
import java.util.Locale;

/**
 * A comparison as both pages show it.
 *
 * @param title the rate and what was compared
 * @param text what came out, in words
 */
record Compared(String title, String text, Table table) {
  static Compared of(Comparison comparison) {
    var title =
        "%s and %s at %s"
            .formatted(comparison.a(), comparison.b(), Units.perSecond(comparison.ratePerSec()));
    return new Compared(title, text(comparison), Tables.comparison(comparison));
  }

  private static String text(Comparison comparison) {
    var text = new StringBuilder();
    var p99 = comparison.difference(Comparison.P99);
    if (comparison.isOfProxy()) {
      text.append(
          "The proxy costs %s of its own CPU per request and %s of the whole cell’s. "
              .formatted(
                  Tables.spread(Unit.MICROS, comparison.ofA(Comparison.PROXY_REQUEST)),
                  Tables.spread(Unit.MICROS, comparison.cellCpuPerProxyRequest())));
    }
    if (p99.least() < 0 && p99.largest() > 0) {
      text.append("The rounds don’t agree on which side is later at p99. ");
    }
    if (comparison.discarded() > 0) {
      text.append(
          String.format(
              Locale.ROOT,
              "Rounds that don’t count, since a verdict of theirs is no PASS: %d. ",
              comparison.discarded()));
    }
    return text.toString().strip();
  }
}
