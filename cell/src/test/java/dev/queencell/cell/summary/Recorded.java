package dev.queencell.cell.summary;

import dev.queencell.cell.sample.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Samples as a sampler would have written them, one a second, with a steady wall clock. */
final class Recorded {
  static final long EPOCH_MS = 1_700_000_000_000L;

  private Recorded() {}

  /** Lines of a unit: a baseline at 0 s, then one a second, each with the same increases. */
  static List<Sample> unit(String unit, int seconds, Map<String, Long> values) {
    var samples = new ArrayList<Sample>();
    samples.add(line(unit, 0, 0, Map.of()));
    for (int second = 1; second <= seconds; second++) {
      samples.add(line(unit, second * 1_000L, 1_000, values));
    }
    return samples;
  }

  static Sample line(String unit, long atMs, long spanMs, Map<String, Long> values) {
    return new Sample(
        atMs, EPOCH_MS + atMs, spanMs, Map.of("unit", unit, "source", "cgroup2"), values);
  }

  static Sample wait(long atMs, String type, String event, long backends) {
    return new Sample(
        atMs,
        EPOCH_MS + atMs,
        0,
        Map.of(
            "database",
            "queencell",
            "backendType",
            "client backend",
            "waitEventType",
            type,
            "waitEvent",
            event),
        Map.of("backends", backends));
  }
}
