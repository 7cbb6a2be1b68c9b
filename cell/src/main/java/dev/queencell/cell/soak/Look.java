package dev.queencell.cell.soak;

import dev.queencell.cell.sample.CsvFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** Makes a check of what lies there: the loader's intervals, the samples, the cell's status. */
final class Look {
  /** Enough for the lines of one check, whatever the run's length. */
  private static final int TAIL_BYTES = 512 * 1024;

  private final Path folder;
  private final String runId;

  Look(Path folder, String runId) {
    this.folder = folder;
    this.runId = runId;
  }

  /**
   * @param sinceSeconds of the load, where the check before ended
   * @param status the cell's own, as {@code status --json} says it
   */
  Check at(long epochMs, double sinceSeconds, JsonNode status) throws IOException {
    var values = new LinkedHashMap<String, Double>();
    values.put(Check.EPOCH_MS, (double) epochMs);
    load(values, sinceSeconds);
    var samples = CsvFile.readTail(folder.resolve(runId + ".pg.csv"), TAIL_BYTES);
    last(samples, Check.DATABASE_BYTES, values);
    last(samples, Check.DEAD_TUPLES, values);
    for (var process : status.path("processes")) {
      var name = process.path("name").asString("");
      if (Check.PROCESSES.contains(name)) {
        if (!process.path("pid").isNull()) {
          number(process.path("residentBytes"), name + Check.RESIDENT_BYTES, values);
        }
        number(process.path("restarts"), name + Check.RESTARTS, values);
      }
    }
    return new Check(values);
  }

  private void load(Map<String, Double> values, double sinceSeconds) throws IOException {
    double until = sinceSeconds;
    double delivered = 0;
    var latencies = new java.util.ArrayList<Double>();
    for (var row : CsvFile.readTail(folder.resolve(runId + "-interval.csv"), TAIL_BYTES)) {
      double seconds = Double.parseDouble(row.get("seconds"));
      if (seconds > sinceSeconds) {
        until = seconds;
        delivered += Double.parseDouble(row.get("delivered"));
        latencies.add(Double.parseDouble(row.get("endToEndP99Ms")));
      }
    }
    if (!latencies.isEmpty()) {
      values.put(Check.SECONDS, until);
      values.put(Check.DELIVERED_PER_SEC, delivered / (until - sinceSeconds));
      latencies.sort(null);
      values.put(Check.P99_MS, latencies.get(latencies.size() / 2));
    }
  }

  private static void last(
      List<Map<String, String>> rows, String column, Map<String, Double> values) {
    rows.reversed().stream()
        .map(row -> row.getOrDefault(column, ""))
        .filter(cell -> !cell.isEmpty())
        .findFirst()
        .ifPresent(cell -> values.put(column, Double.valueOf(cell)));
  }

  private static void number(JsonNode node, String column, Map<String, Double> values) {
    if (node.isNumber()) {
      values.put(column, node.asDouble());
    }
  }
}
