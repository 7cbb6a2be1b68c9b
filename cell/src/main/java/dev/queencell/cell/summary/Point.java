package dev.queencell.cell.summary;

import dev.queencell.cell.output.Json;
import dev.queencell.cell.sample.Sample;
import dev.queencell.cell.sample.SampleFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.node.ObjectNode;

/**
 * Everything that one run left behind, as read from its folder.
 *
 * @param record the loader's run record
 * @param sampler what the sampler says of itself; empty when it left nothing
 */
record Point(
    ObjectNode record,
    ObjectNode sampler,
    List<Sample> usage,
    List<Sample> database,
    List<Sample> waits,
    ServiceCounters counters) {

  private static final long INTERVAL_MS = 1000;

  /**
   * Reads the files of a run.
   *
   * @throws IOException naming the file that is missing or no JSON object
   */
  static Point read(Path folder, String runId) throws IOException {
    var sampler = folder.resolve(runId + ".sample.json");
    return new Point(
        object(folder.resolve(runId + ".json")),
        Files.exists(sampler) ? object(sampler) : Json.object(),
        SampleFile.USAGE.read(folder, runId),
        SampleFile.DATABASE.read(folder, runId),
        SampleFile.WAITS.read(folder, runId),
        ServiceCounters.read(folder.resolve(runId + ".metrics.csv")));
  }

  /** The samples of one unit, in the order they were taken. */
  List<Sample> unit(String unit) {
    return usage.stream().filter(sample -> sample.label("unit").equals(unit)).toList();
  }

  long intervalMs() {
    return Math.max(1, sampler.path("intervalMs").asLong(INTERVAL_MS));
  }

  /** A number of the loader's record; NaN when it has none of that name. */
  double number(String key) {
    var node = record.path(key);
    return node.isNumber() ? node.doubleValue() : Double.NaN;
  }

  private static ObjectNode object(Path file) throws IOException {
    if (!Files.exists(file)) {
      throw new IOException("there is no " + file);
    }
    try {
      if (Json.mapper().readTree(Files.readString(file)) instanceof ObjectNode node) {
        return node;
      }
      throw new IOException(file + " holds no JSON object");
    } catch (JacksonException e) {
      throw new IOException("%s is no JSON: %s".formatted(file, e.getOriginalMessage()), e);
    }
  }
}
