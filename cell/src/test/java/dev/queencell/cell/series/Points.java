package dev.queencell.cell.series;

import dev.queencell.cell.output.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import tools.jackson.databind.node.ObjectNode;

/** Summaries as runpt.sh leaves them. */
final class Points {
  private Points() {}

  /** A point that passes: everything delivered, p99 of 20 ms. */
  static ObjectNode passing(double rate) {
    var summary =
        Json.object()
            .put("verdict", "PASS")
            .put("partial", false)
            .put("offeredPerSec", rate)
            .put("achievedPushPerSec", rate)
            .put("deliveredPerSec", rate)
            .put("cellCores", 0.5)
            .put("cellCpuMicrosPerMessage", 500_000 / rate)
            .put("throttledShare", 0.02)
            .put("commitsPerMessage", 0.5)
            .put("walBytesPerMessage", 600)
            .put("loaderCores", 0.3)
            .put("loaderSaturated", false)
            .put("limitedBy", "nothing");
    summary.putObject("latencyMs").put("p50", 5.0).put("p99", 20.0).put("p999", 40.0);
    return summary;
  }

  /** All arrived, but late. */
  static ObjectNode late(double rate, double p99Ms) {
    var summary = passing(rate).put("throttledShare", 0.6);
    summary.withObject("/latencyMs").put("p99", p99Ms);
    return summary;
  }

  /** Only a part was delivered. */
  static ObjectNode falling(double rate, double share) {
    return passing(rate)
        .put("deliveredPerSec", rate * share)
        .put("throttledShare", 0.9)
        .put("limitedBy", "cpu-cap");
  }

  static void write(Path folder, String runId, ObjectNode summary) throws IOException {
    Files.writeString(
        folder.resolve(runId + ".summary.json"), Json.text(summary.put("runId", runId)));
  }
}
