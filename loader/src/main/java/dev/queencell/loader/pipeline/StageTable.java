package dev.queencell.loader.pipeline;

import dev.queencell.loader.account.StageAccount;
import dev.queencell.loader.account.Verdict;
import dev.queencell.loader.record.RunRecord;
import dev.queencell.service.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The stages' sums, as a table, as a verdict and as part of a record. */
final class StageTable {
  private static final String ROW = "%-28s %10s %10s %7s %7s %7s %9s  %s";

  private final Map<String, StageAccount.Sums> stages = new LinkedHashMap<>();
  private final boolean caused;

  /**
   * Makes an empty table.
   *
   * @param caused whether anything happened that makes a broker deliver again
   */
  StageTable(boolean caused) {
    this.caused = caused;
  }

  void add(String stage, StageAccount.Sums sums) {
    stages.put(stage, sums);
  }

  private StageAccount.Sums total() {
    return stages.values().stream()
        .reduce(new StageAccount.Sums(0, 0, 0, 0, 0, 0), StageAccount.Sums::plus);
  }

  List<String> lines() {
    var lines = new ArrayList<String>();
    lines.add(
        ROW.formatted(
            "stage(queue_group)",
            "msgs",
            "unique",
            "dups",
            "gaps",
            "viols",
            "inflight",
            "verdict"));
    stages.forEach((name, sums) -> lines.add(row(name, sums, word(sums))));
    lines.add(row("TOTAL", total(), verdict().kind().text()));
    return lines;
  }

  private static String row(String name, StageAccount.Sums sums, String verdict) {
    return ROW.formatted(
        name,
        sums.messages(),
        sums.unique(),
        sums.duplicates(),
        sums.gaps(),
        sums.violations(),
        sums.inFlight(),
        verdict);
  }

  private String word(StageAccount.Sums sums) {
    return sums.failed(caused) ? "FAIL" : "PASS";
  }

  Verdict verdict() {
    var reasons = new ArrayList<String>();
    stages.forEach(
        (name, sums) -> {
          if (sums.failed(caused)) {
            reasons.add(
                "%s: %d gaps, %d duplicates, %d violations"
                    .formatted(name, sums.gaps(), sums.duplicates(), sums.violations()));
          }
        });
    return new Verdict(
        reasons.isEmpty() ? Verdict.Kind.PASS : Verdict.Kind.FAIL, List.copyOf(reasons), List.of());
  }

  /** What stands in parentheses after the verdict. */
  String detail() {
    var total = total();
    return "%d messages at %d stages: %d dups, %d gaps, %d viols, %d in flight%s"
        .formatted(
            total.messages(),
            stages.size(),
            total.duplicates(),
            total.gaps(),
            total.violations(),
            total.inFlight(),
            caused ? "; redelivery had causes" : "");
  }

  RunRecord.Stages record() {
    var rows = Json.mapper().createArrayNode();
    stages.forEach(
        (name, sums) ->
            rows.addObject()
                .put("stage", name)
                .put("messages", sums.messages())
                .put("unique", sums.unique())
                .put("duplicates", sums.duplicates())
                .put("gaps", sums.gaps())
                .put("violations", sums.violations())
                .put("inFlight", sums.inFlight())
                .put("verdict", word(sums)));
    var total = total();
    return new RunRecord.Stages(
        rows, total.gaps(), total.duplicates(), total.violations(), total.inFlight());
  }
}
