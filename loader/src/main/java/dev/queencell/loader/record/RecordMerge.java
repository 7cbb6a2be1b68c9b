package dev.queencell.loader.record;

import dev.queencell.service.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Joins records of loaders that ran side by side into one of the same shape: counts and rates are
 * summed, histograms added and their percentiles taken anew, the verdict is the worst of all. What
 * can't be summed, such as the host, is the first record's.
 */
public final class RecordMerge {
  private static final List<String> SUMS =
      List.of(
          "missing",
          "duplicate",
          "extra",
          "crossTenant",
          "orderViolations",
          "corrupt",
          "foreign",
          "inFlight",
          "deliveredInSteady",
          "loaderCores");
  private static final List<String> RATES =
      List.of("offeredPerSec", "achievedPushPerSec", "deliveredPerSec");
  private static final List<String> VERDICTS =
      List.of("PASS", "PASS (enforced)", "UNVERIFIED", "FAIL");
  private static final int OFFENDERS_MAX = 10;
  private static final String WORSE_OF = "latenessP99Micros latenessMaxMicros";

  private RecordMerge() {}

  /** Reads a record, with a reason in words where it is none. */
  public static ObjectNode read(Path file) throws IOException {
    try {
      var node = Json.mapper().readTree(Files.readAllBytes(file));
      if (node instanceof ObjectNode record && record.has("runId") && record.has("histograms")) {
        return record;
      }
    } catch (JacksonException e) {
      throw new IOException(file + " is no JSON", e);
    }
    throw new IOException(file + " is no run record with histograms");
  }

  /** Writes a merged record. */
  public static void write(ObjectNode record, Path file) throws IOException {
    RunRecord.write(record, file);
  }

  /**
   * Joins records, at least one.
   *
   * @throws IllegalArgumentException when they are of different modes, or one comes twice
   */
  public static ObjectNode merge(List<ObjectNode> records) {
    var ids = new TreeSet<String>();
    for (var record : records) {
      if (!ids.add(record.path("runId").asString())) {
        throw new IllegalArgumentException(
            "run %s is given twice".formatted(record.path("runId").asString()));
      }
      if (!record.path("mode").equals(records.getFirst().path("mode"))) {
        throw new IllegalArgumentException(
            "%s is a run of mode %s and %s one of mode %s"
                .formatted(
                    records.getFirst().path("runId").asString(),
                    records.getFirst().path("mode").asString(),
                    record.path("runId").asString(),
                    record.path("mode").asString()));
      }
    }
    var merged = records.getFirst().deepCopy();
    merged.put("runId", String.join("+", ids));
    merged.set("mergedFrom", Json.mapper().valueToTree(ids));
    for (var record : records.subList(1, records.size())) {
      add(merged, record);
    }
    window(merged, records);
    percentiles(merged);
    merged.put("loaderSaturated", any(records, "loaderSaturated"));
    merged.put("partial", any(records, "partial"));
    merged.put("verified", records.stream().allMatch(r -> r.path("verified").asBoolean(false)));
    return merged;
  }

  private static boolean any(List<ObjectNode> records, String key) {
    return records.stream().anyMatch(r -> r.path(key).asBoolean(false));
  }

  private static void add(ObjectNode merged, ObjectNode record) {
    for (var key : SUMS) {
      sum(merged, key, record);
    }
    for (var key : RATES) {
      sumOrNull(merged, key, record);
    }
    sumOrNull(merged, "backlog", record);
    for (var key : List.of("totals", "steadyTotals", "errors")) {
      sumAll((ObjectNode) merged.get(key), record.path(key));
    }
    for (var fault : record.path("faults").properties()) {
      sumAll((ObjectNode) merged.at("/faults/" + fault.getKey()), fault.getValue());
    }
    var loader = (ObjectNode) merged.get("loader");
    for (var entry : record.path("loader").properties()) {
      if (entry.getValue().isNumber()) {
        if (WORSE_OF.contains(entry.getKey())) {
          loader.put(
              entry.getKey(),
              Math.max(loader.path(entry.getKey()).asLong(0), entry.getValue().asLong()));
        } else {
          sum(loader, entry.getKey(), record.get("loader"));
        }
      }
    }
    if (loader.path("saturation").asString("").isEmpty()) {
      loader.set("saturation", record.at("/loader/saturation"));
    }
    append(merged, record, "reasons", Integer.MAX_VALUE);
    append(merged, record, "offenders", OFFENDERS_MAX);
    append(merged, record, "tenants", Integer.MAX_VALUE);
    append(merged, record, "stages", Integer.MAX_VALUE);
    append(merged, record, "output", Integer.MAX_VALUE);
    int worse =
        Math.max(
            VERDICTS.indexOf(merged.path("verdict").asString()),
            VERDICTS.indexOf(record.path("verdict").asString()));
    merged.put("verdict", VERDICTS.get(worse));
    var histograms = (ObjectNode) merged.get("histograms");
    for (var entry : record.path("histograms").properties()) {
      var histogram = Histograms.decode(histograms.path(entry.getKey()).asString());
      histogram.add(Histograms.decode(entry.getValue().asString()));
      histograms.put(entry.getKey(), Histograms.encode(histogram));
    }
  }

  private static void sum(ObjectNode into, String key, JsonNode from) {
    var one = into.path(key);
    var other = from.path(key);
    if (one.isIntegralNumber() && other.isIntegralNumber()) {
      into.put(key, one.asLong() + other.asLong());
    } else {
      into.put(key, one.asDouble(0) + other.asDouble(0));
    }
  }

  /** What one of them doesn't know, their sum doesn't know either. */
  private static void sumOrNull(ObjectNode into, String key, JsonNode from) {
    if (into.path(key).isNumber() && from.path(key).isNumber()) {
      sum(into, key, from);
    } else {
      into.putNull(key);
    }
  }

  private static void sumAll(ObjectNode into, JsonNode from) {
    for (var entry : from.properties()) {
      if (into.has(entry.getKey())) {
        sum(into, entry.getKey(), from);
      } else {
        into.set(entry.getKey(), entry.getValue());
      }
    }
  }

  private static void append(ObjectNode merged, ObjectNode record, String key, int most) {
    if (!merged.path(key).isArray()) {
      return;
    }
    var list = merged.withArray(key);
    for (var item : record.path(key)) {
      if (list.size() < most) {
        list.add(item);
      }
    }
  }

  /** The time in which all of them were in their steady window; empty windows are kept apart. */
  private static void window(ObjectNode merged, List<ObjectNode> records) {
    long start =
        records.stream().mapToLong(r -> r.path("steadyStartEpochMs").asLong()).max().orElse(0);
    long end = records.stream().mapToLong(r -> r.path("steadyEndEpochMs").asLong()).min().orElse(0);
    merged.put("steadyStartEpochMs", start);
    merged.put("steadyEndEpochMs", Math.max(start, end));
    merged.put("steadySeconds", Math.max(0, end - start) / 1000.0);
  }

  private static void percentiles(ObjectNode merged) {
    var histograms = merged.path("histograms");
    merged.set("latencyMs", percentiles(histograms, "end-to-end"));
    merged.set("pushLatencyMs", percentiles(histograms, "push"));
    merged.set("pushFromSendLatencyMs", percentiles(histograms, "push-from-send"));
    merged.set("ackLatencyMs", percentiles(histograms, "ack"));
  }

  private static ObjectNode percentiles(JsonNode histograms, String tag) {
    return Histograms.percentiles(Histograms.decode(histograms.path(tag).asString()));
  }
}
