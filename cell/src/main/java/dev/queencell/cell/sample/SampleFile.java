package dev.queencell.cell.sample;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The sample files of a point: {@code RUN-ID} + suffix in the point's folder.
 *
 * @param labels the columns that say what a line is about
 * @param counters the columns that hold increases over the line's span
 * @param states the columns that hold what was at the line's instant
 */
public record SampleFile(
    String suffix, List<String> labels, List<String> counters, List<String> states) {

  /** One line per unit and second. */
  public static final SampleFile USAGE =
      new SampleFile(
          ".cpu.csv",
          List.of("unit", "source"),
          List.of(
              Usage.CPU_MICROS,
              Usage.THROTTLED_MICROS,
              Usage.PERIODS,
              Usage.THROTTLED_PERIODS,
              Usage.CPU_PRESSURE_MICROS,
              Usage.MEMORY_PRESSURE_MICROS,
              Usage.IO_PRESSURE_MICROS,
              Usage.IO_READ_BYTES,
              Usage.IO_WRITE_BYTES),
          List.of(
              Usage.PROCESSES, Usage.MEMORY_BYTES, Usage.MEMORY_PEAK_BYTES, UsageProbe.RESTARTED));

  /** One line per second about the PostgreSQL that holds the messages. */
  public static final SampleFile DATABASE =
      new SampleFile(".pg.csv", List.of(), DatabaseColumns.COUNTERS, DatabaseColumns.STATES);

  /** One line per second and thing that working backends waited for. */
  public static final SampleFile WAITS =
      new SampleFile(
          ".waits.csv",
          List.of("database", "backendType", "waitEventType", "waitEvent"),
          List.of(),
          List.of("backends"));

  public SampleFile {
    labels = List.copyOf(labels);
    counters = List.copyOf(counters);
    states = List.copyOf(states);
  }

  /** Where the file of a run lies. */
  public Path in(Path folder, String runId) {
    return folder.resolve(runId + suffix);
  }

  /** Reads the file; nothing when there is none. */
  public List<Sample> read(Path folder, String runId) throws IOException {
    return samples(CsvFile.read(in(folder, runId)));
  }

  List<Sample> samples(List<Map<String, String>> rows) {
    var samples = new ArrayList<Sample>();
    for (var row : rows) {
      var rowLabels = new HashMap<String, String>();
      labels.forEach(label -> rowLabels.put(label, row.getOrDefault(label, "")));
      var rowValues = new HashMap<String, Long>();
      for (var column : values()) {
        var text = row.getOrDefault(column, "");
        if (!text.isEmpty()) {
          rowValues.put(column, Long.parseLong(text));
        }
      }
      samples.add(
          new Sample(
              Long.parseLong(row.get("monotonicMs")),
              Long.parseLong(row.get("epochMs")),
              Long.parseLong(row.get("spanMs")),
              rowLabels,
              rowValues));
    }
    return samples;
  }

  private List<String> values() {
    return Stream.concat(counters.stream(), states.stream()).toList();
  }

  CsvFile.Writer create(Path folder, String runId) throws IOException {
    return new CsvFile.Writer(in(folder, runId), header());
  }

  List<String> header() {
    return Stream.of(
            Stream.of("monotonicMs", "epochMs", "spanMs"), labels.stream(), values().stream())
        .flatMap(columns -> columns)
        .toList();
  }

  List<String> row(Sample sample) {
    var cells = new ArrayList<String>();
    cells.add(Long.toString(sample.monotonicMs()));
    cells.add(Long.toString(sample.epochMs()));
    cells.add(Long.toString(sample.spanMs()));
    labels.forEach(label -> cells.add(sample.label(label)));
    for (var column : values()) {
      long value = sample.value(column);
      cells.add(value == Sample.UNKNOWN ? "" : Long.toString(value));
    }
    return cells;
  }
}
