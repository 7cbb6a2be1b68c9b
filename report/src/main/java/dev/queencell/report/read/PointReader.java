package dev.queencell.report.read;

import dev.queencell.cell.output.Json;
import dev.queencell.cell.sample.CsvFile;
import dev.queencell.cell.sample.Sample;
import dev.queencell.cell.sample.SampleFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.DataFormatException;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Reads the files of one run. What is missing or broken is noted and left out. */
final class PointReader {
  /** Files that every point leaves. */
  private static final int EXPECTED = 8;

  private static final String UNKNOWN = "; what it would tell is unknown";

  private final Path folder;
  private final String runId;
  private final List<String> problems = new ArrayList<>();
  private final List<String> missing = new ArrayList<>();

  private PointReader(Path folder, String runId) {
    this.folder = folder;
    this.runId = runId;
  }

  static MeasuredPoint read(Path folder, String runId, String label) {
    return new PointReader(folder, runId).point(label);
  }

  /** Something that a broken file makes fail. */
  private interface Reading<T> {
    T read(Path file) throws IOException, DataFormatException;
  }

  private MeasuredPoint point(String label) {
    var summary = json(".summary.json");
    var record = json(".json");
    var sampler = json(".sample.json");
    var usage = samples(SampleFile.USAGE);
    var database = samples(SampleFile.DATABASE);
    // Nobody waited: no line, and that is no news.
    var waits = attempt(".waits.csv", false, List.<Sample>of(), file -> rows(SampleFile.WAITS));
    var intervals =
        attempt(
            "-interval.csv", true, List.<Interval>of(), file -> Interval.of(CsvFile.read(file)));
    var log = attempt(".hlog", true, Latencies.NONE, Latencies::readLog);
    var latencies =
        record.path("histograms").isObject()
            ? attempt(".json", true, log, file -> log.withSteady(record.path("histograms")))
            : log;
    var shape = attempt(".shape.txt", true, Shape.NONE, file -> Shape.of(Files.readAllLines(file)));
    var metrics = attempt(".metrics.csv", false, Map.<String, Double>of(), PointReader::largest);
    if (missing.size() == EXPECTED - 1 && !summary.isEmpty()) {
      problems.add("only its summary is here: nothing of it is drawn over time");
    } else if (!missing.isEmpty()) {
      problems.add("there is no %s%s".formatted(String.join(", no ", missing), UNKNOWN));
    }
    return new MeasuredPoint(
        label,
        runId,
        folder.toString(),
        summary,
        record,
        sampler,
        usage,
        database,
        waits,
        intervals,
        latencies,
        shape,
        metrics,
        problems);
  }

  private JsonNode json(String suffix) {
    return attempt(
        suffix,
        true,
        (JsonNode) Json.object(),
        file -> {
          if (Json.mapper().readTree(Files.readString(file)) instanceof ObjectNode node) {
            return node;
          }
          throw new IOException("it holds no JSON object");
        });
  }

  private List<Sample> samples(SampleFile file) {
    return attempt(file.suffix(), true, List.<Sample>of(), path -> rows(file));
  }

  private List<Sample> rows(SampleFile file) throws IOException {
    return file.read(folder, runId);
  }

  private static Map<String, Double> largest(Path file) throws IOException {
    var largest = new HashMap<String, Double>();
    for (var row : CsvFile.read(file)) {
      var value = row.getOrDefault("value", "");
      if (!value.isEmpty()) {
        largest.merge(row.getOrDefault("series", ""), Double.parseDouble(value), Math::max);
      }
    }
    return largest;
  }

  private <T> T attempt(String suffix, boolean expected, T otherwise, Reading<T> reading) {
    var file = folder.resolve(runId + suffix);
    if (!Files.exists(file)) {
      if (expected) {
        missing.add(file.getFileName().toString());
      }
      return otherwise;
    }
    try {
      return reading.read(file);
    } catch (JacksonException e) {
      problems.add(
          "%s is no JSON: %s%s".formatted(file.getFileName(), e.getOriginalMessage(), UNKNOWN));
    } catch (IOException | DataFormatException | RuntimeException e) {
      // The libraries that decode histograms and numbers throw what they like at broken input.
      problems.add("%s can't be read: %s%s".formatted(file.getFileName(), e.getMessage(), UNKNOWN));
    }
    return otherwise;
  }
}
