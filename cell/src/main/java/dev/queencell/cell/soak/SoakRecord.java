package dev.queencell.cell.soak;

import dev.queencell.cell.output.Csv;
import dev.queencell.cell.output.Json;
import dev.queencell.cell.sample.CsvFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import tools.jackson.databind.node.ObjectNode;

/**
 * The two files of a watched run. A row is appended whole, and the document is replaced at once, so
 * that both are valid whenever the run ends.
 */
record SoakRecord(Path folder, String runId) {
  private Path csv() {
    return folder.resolve(runId + ".soak.csv");
  }

  List<Check> checks() throws IOException {
    var checks = new ArrayList<Check>();
    for (var row : CsvFile.read(csv())) {
      var values = new LinkedHashMap<String, Double>();
      for (var column : Check.COLUMNS) {
        var cell = row.getOrDefault(column, "");
        if (!cell.isEmpty()) {
          values.put(column, Double.valueOf(cell));
        }
      }
      checks.add(new Check(values));
    }
    return checks;
  }

  void add(Check check) throws IOException {
    var line = new StringBuilder(Files.exists(csv()) ? "" : Csv.line(Check.COLUMNS));
    line.append(Csv.line(Check.COLUMNS.stream().map(c -> cell(check.get(c))).toList()));
    Files.writeString(csv(), line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  private static Object cell(double value) {
    if (Double.isNaN(value)) {
      return null;
    }
    return value == Math.rint(value) ? (Object) (long) value : (Object) value;
  }

  void conclude(
      int everySeconds,
      int warmUp,
      List<Check> checks,
      List<Watched.Finding> findings,
      boolean ended)
      throws IOException {
    var document = Json.object().put("runId", runId);
    document.put("everySeconds", everySeconds).put("warmUpChecks", warmUp);
    document.put("checks", checks.size()).put("ended", ended);
    var trends = document.putArray("trends");
    for (var finding : findings) {
      var trend = trends.addObject().put("series", finding.series()).put("text", finding.text());
      if (finding.trend() != null) {
        trend.put("change", finding.trend().change());
        trend.put("perHour", finding.trend().perHour()).put("z", finding.trend().z());
      }
    }
    if (!checks.isEmpty()) {
      document.set("first", numbers(checks.getFirst()));
      document.set("last", numbers(checks.getLast()));
    }
    var draft = folder.resolve(runId + ".soak.json.draft");
    Files.writeString(draft, Json.text(document) + "\n");
    Files.move(draft, folder.resolve(runId + ".soak.json"), StandardCopyOption.REPLACE_EXISTING);
  }

  private static ObjectNode numbers(Check check) {
    var node = Json.object();
    for (var column : Check.COLUMNS) {
      double value = check.get(column);
      if (Double.isNaN(value)) {
        node.putNull(column);
      } else if (value == Math.rint(value)) {
        node.put(column, (long) value);
      } else {
        node.put(column, value);
      }
    }
    return node;
  }
}
