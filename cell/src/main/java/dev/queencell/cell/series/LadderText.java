package dev.queencell.cell.series;

import dev.queencell.cell.output.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A ladder for a terminal: a line per step, a table, a chart, and the ceiling in words. */
final class LadderText {
  private static final int BAR_WIDTH = 40;
  private static final List<Metric> COLUMNS =
      List.of(
          Metric.PUSHED,
          Metric.DELIVERED,
          Metric.P50,
          Metric.P99,
          Metric.CELL_CORES,
          Metric.CELL_CPU,
          Metric.THROTTLED,
          Metric.COMMITS,
          Metric.LOADER_CORES);

  private LadderText() {}

  /** One line on a step that has just been measured. */
  static String line(Rung rung) {
    return "delivered %s/s, p99 %s ms, %s cores, %s CPU µs/msg: %s"
        .formatted(
            Metric.DELIVERED.text(Metric.DELIVERED.of(rung.point())),
            Metric.P99.text(rung.p99Ms()),
            Metric.CELL_CORES.text(Metric.CELL_CORES.of(rung.point())),
            Metric.CELL_CPU.text(Metric.CELL_CPU.of(rung.point())),
            rung.passes() ? "passed" : rung.failure());
  }

  static String table(Ladder ladder) {
    var header =
        Stream.of(
                Stream.of("rate/s"),
                Metric.titles(COLUMNS).stream(),
                Stream.of("limited by", "result"))
            .flatMap(titles -> titles)
            .toArray(String[]::new);
    var table = new TextTable(header);
    for (var rung : ladder.rungs()) {
      var cells = new ArrayList<String>();
      cells.add(Rates.plain(rung.ratePerSec()));
      COLUMNS.forEach(metric -> cells.add(metric.text(metric.of(rung.point()))));
      cells.add(rung.point().text("limitedBy"));
      cells.add(rung.passes() ? "passed" : rung.failure());
      table.row(cells.toArray());
    }
    return table.render();
  }

  /** What was delivered of what was offered, and p99 on a scale of powers of ten. */
  static String chart(Ladder ladder) {
    if (ladder.rungs().isEmpty()) {
      return "";
    }
    double top = ladder.rungs().getLast().ratePerSec();
    var table =
        new TextTable("rate/s", "delivered (.: offered only)", "p99 ms (:: per power of 10)");
    for (var rung : ladder.rungs()) {
      int offered = cells(rung.ratePerSec() / top);
      int delivered = Math.min(offered, cells(Metric.DELIVERED.of(rung.point()) / top));
      table.row(
          Rates.plain(rung.ratePerSec()),
          "#".repeat(delivered) + ".".repeat(offered - delivered),
          magnitude(rung.p99Ms()) + Metric.P99.text(rung.p99Ms()));
    }
    return table.render();
  }

  /** Where the ceiling is and what it is made of. */
  static String ceiling(Ladder ladder) {
    var text = new StringBuilder();
    var ceiling = ladder.ceiling();
    var limit = ladder.limit();
    if (ceiling.isEmpty() && limit.isEmpty()) {
      return "no step was measured";
    }
    text.append(
        ceiling
            .map(
                rung ->
                    "ceiling %s/s%s"
                        .formatted(
                            Rates.plain(rung.ratePerSec()),
                            ladder.next().isEmpty() ? "" : " so far, the ladder is not finished"))
            .orElse("no rate passed"));
    text.append(
        limit
            .map(
                rung ->
                    ", limited by %s: at %s/s %s, %s throttled"
                        .formatted(
                            ladder.limitedBy(),
                            Rates.plain(rung.ratePerSec()),
                            rung.failure(),
                            Numbers.percent(Metric.THROTTLED.of(rung.point()))))
            .orElse(", and no higher rate was tried"));
    if (Stream.of(ceiling, limit)
        .flatMap(Optional::stream)
        .anyMatch(rung -> rung.point().summary().path("loaderSaturated").asBoolean(false))) {
      text.append("; the loader was saturated, so latencies are partly its own");
    }
    return text.toString();
  }

  private static int cells(double share) {
    return Double.isFinite(share) ? (int) Math.round(share * BAR_WIDTH) : 0;
  }

  /** Ten cells for every power of ten above 1 ms. */
  private static String magnitude(double ms) {
    int cells = ms > 1 ? (int) Math.round(Math.log10(ms) * 10) : 0;
    return ":".repeat(cells) + (cells > 0 ? " " : "");
  }
}
