package dev.queencell.cell.summary;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * The files of a run on which everything went wrong at once, as a sampler wrote them: ten seconds,
 * steady from 2 s to 8 s, 100 messages a second. The sampler was silent from 3 s to 6 s; at 4 s the
 * wall clock was set back by a minute; the broker was killed and began again at 5 s, PostgreSQL
 * with all its counters at 6 s; at 9 s the sampler died in the middle of a line.
 */
class RecordedFilesTest {
  private static final long EPOCH_MS = 1_700_000_000_000L;

  @TempDir private Path folder;

  @BeforeEach
  void write() throws IOException {
    file(
        ".json",
        """
        {"runId":"r","verdict":"PASS","offeredPerSec":100,"deliveredInSteady":600,
         "steadySeconds":6.0,"steadyStartEpochMs":%d,"loaderSaturated":false,"latencyMs":{}}
        """
            .formatted(EPOCH_MS + 2_000));
    file(".sample.json", "{\"intervalMs\":1000,\"endedEpochMs\":null,\"capCpus\":1.0}");
    file(
        ".cpu.csv",
        "monotonicMs,epochMs,spanMs,unit,source,cpuMicros,throttledMicros,periods,throttledPeriods,"
            + "memoryBytes,restarted\n"
            + usage(0, 0, "slice", ",,,,10,0")
            + usage(0, 0, "broker", ",,,,5,0")
            + usage(1_000, 1_000, "slice", "900000,0,10,0,10,0")
            + usage(1_000, 1_000, "broker", "400000,,,,5,0")
            + usage(2_000, 1_000, "slice", "900000,0,10,0,10,0")
            + usage(2_000, 1_000, "broker", "400000,,,,5,0")
            + usage(3_000, 1_000, "slice", "600000,80000,10,4,10,0")
            + usage(3_000, 1_000, "broker", "300000,,,,5,0")
            + usage(6_000, 3_000, "slice", "1500000,160000,30,8,30,0")
            + usage(6_000, 3_000, "broker", "900000,,,,7,1")
            + usage(7_000, 1_000, "slice", "600000,0,10,0,20,0")
            + usage(7_000, 1_000, "broker", "300000,,,,6,0")
            + usage(8_000, 1_000, "slice", "300000,0,10,0,20,0")
            + usage(8_000, 1_000, "broker", "300000,,,,6,0")
            + "9000,1699999949000,1000,slice,cgroup1,99");
    file(
        ".pg.csv",
        "monotonicMs,epochMs,spanMs,commits,walBytes,walFsyncs,walFsyncMicros,databaseBytes\n"
            + line(0, 0, ",,,,100")
            + line(1_000, 1_000, "500,9000,50,50000,")
            + line(2_000, 1_000, "500,9000,50,50000,")
            + line(3_000, 1_000, "20,3000,10,4000,")
            // Three seconds in one line, counted by a server that began at 0 in the middle of them.
            + line(6_000, 3_000, "40,6000,20,16000,700")
            + line(7_000, 1_000, "30,4500,15,5000,")
            + line(8_000, 1_000, "30,4500,15,5000,"));
  }

  private void file(String suffix, String text) throws IOException {
    Files.writeString(folder.resolve("r" + suffix), text);
  }

  private static String usage(long atMs, long spanMs, String unit, String values) {
    return line(atMs, spanMs, unit + ",cgroup1," + values);
  }

  private static String line(long atMs, long spanMs, String rest) {
    long setBackMs = atMs >= 4_000 ? 60_000 : 0;
    return "%d,%d,%d,%s\n".formatted(atMs, EPOCH_MS + atMs - setBackMs, spanMs, rest);
  }

  private JsonNode summary() throws IOException {
    return Summary.of(Point.read(folder, "r"));
  }

  @Test
  void costsComeOutOfTheSteadySecondsWhateverHappenedInThem() throws IOException {
    var summary = summary();
    assertEquals(0.5, summary.path("cellCores").doubleValue());
    assertEquals(5_000, summary.path("cellCpuMicrosPerMessage").doubleValue());
    assertEquals(3_000, summary.path("cpuMicrosPerMessage").path("broker").doubleValue());
    assertEquals(0.2, summary.path("throttledShare").doubleValue());
    assertEquals(40_000, summary.path("throttledMicrosPerSec").doubleValue());
    assertEquals(0.2, summary.path("commitsPerMessage").doubleValue());
    assertEquals(30, summary.path("walBytesPerMessage").doubleValue());
    assertEquals(500, summary.path("walFsyncMicrosMean").doubleValue());
    assertEquals(30, summary.path("memoryPeakBytes").path("slice").longValue());
    assertEquals(700, summary.path("databaseBytesMax").longValue());
  }

  @Test
  void whatHappenedIsSaid() throws IOException {
    var summary = summary();
    assertEquals(-60_000, summary.path("clockStepMs").longValue());
    assertEquals(1, summary.path("restarts").path("broker").longValue());
    assertEquals(1, summary.path("sampleGaps").size());
    assertEquals(3_000, summary.path("sampleGaps").path(0).path("afterMs").longValue());
    assertEquals(2, summary.path("sampleGaps").path(0).path("seconds").longValue());
    assertEquals(4 / 6.0, summary.path("sampleCoverage").doubleValue(), 1e-4);
    assertEquals(4 / 6.0, summary.path("databaseCoverage").doubleValue(), 1e-4);
    assertTrue(summary.path("samplerDied").booleanValue());
    var table = PointTable.render(summary);
    assertTrue(table.contains("note        the sampler died during the run"), table);
    assertTrue(table.contains("note        samples of PostgreSQL cover 66.7% of the"), table);
  }
}
