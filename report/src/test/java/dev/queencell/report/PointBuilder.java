package dev.queencell.report;

import dev.queencell.cell.output.Json;
import dev.queencell.cell.sample.Sample;
import dev.queencell.report.read.Interval;
import dev.queencell.report.read.Latencies;
import dev.queencell.report.read.MeasuredPoint;
import dev.queencell.report.read.Shape;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** Points of which a test says only what it is about. */
public final class PointBuilder {
  private final String label;
  private String folder = "out";
  private JsonNode summary = Json.object();
  private JsonNode record = Json.object();
  private List<Sample> usage = List.of();
  private List<Sample> database = List.of();
  private List<Sample> waits = List.of();
  private List<Interval> intervals = List.of();
  private List<String> problems = List.of();

  private PointBuilder(String label) {
    this.label = label;
  }

  public static PointBuilder named(String label) {
    return new PointBuilder(label);
  }

  public PointBuilder folder(String name) {
    folder = name;
    return this;
  }

  public PointBuilder summary(String json) {
    summary = Json.mapper().readTree(json);
    return this;
  }

  public PointBuilder record(JsonNode node) {
    record = node;
    return this;
  }

  public PointBuilder usage(List<Sample> samples) {
    usage = samples;
    return this;
  }

  public PointBuilder database(List<Sample> samples) {
    database = samples;
    return this;
  }

  public PointBuilder waits(List<Sample> samples) {
    waits = samples;
    return this;
  }

  public PointBuilder intervals(List<Interval> lines) {
    intervals = lines;
    return this;
  }

  public PointBuilder problems(String... texts) {
    problems = List.of(texts);
    return this;
  }

  public MeasuredPoint build() {
    return new MeasuredPoint(
        label,
        label,
        folder,
        summary,
        record,
        Json.object(),
        usage,
        database,
        waits,
        intervals,
        new Latencies(Double.NaN, List.of(), Map.of()),
        new Shape(Map.of()),
        Map.of(),
        problems);
  }
}
