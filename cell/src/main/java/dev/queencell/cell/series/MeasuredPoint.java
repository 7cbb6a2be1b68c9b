package dev.queencell.cell.series;

import dev.queencell.cell.output.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** One point as its summary tells it. What is not known is NaN or empty. */
record MeasuredPoint(String runId, JsonNode summary) {
  private static final String PASS = "PASS";

  /**
   * The point of that name.
   *
   * @return nothing when it left no summary, or was cut short and so says nothing about its rate
   * @throws IOException when the summary can't be read or is no JSON
   */
  static Optional<MeasuredPoint> read(Path folder, String runId) throws IOException {
    var file = folder.resolve(runId + ".summary.json");
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    try {
      var point = new MeasuredPoint(runId, json(Files.readString(file)));
      return point.summary.path("partial").asBoolean(false) ? Optional.empty() : Optional.of(point);
    } catch (JacksonException e) {
      throw new IOException("%s is no JSON: %s".formatted(file, e.getOriginalMessage()), e);
    }
  }

  static JsonNode json(String text) {
    return Json.mapper().readTree(text);
  }

  /** A number by its key; {@code latencyMs.p99} is one inside of an object. */
  double number(String key) {
    var node = summary;
    for (var part : key.split("\\.", -1)) {
      node = node.path(part);
    }
    return node.isNumber() ? node.doubleValue() : Double.NaN;
  }

  String text(String key) {
    return summary.path(key).asString("");
  }

  /** Whether every message is accounted for; without that no number of the point counts. */
  boolean isVerified() {
    var verdict = text("verdict");
    return verdict.equals(PASS) || verdict.startsWith(PASS + " (");
  }
}
