package dev.queencell.cell.summary;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.cell.output.Json;
import dev.queencell.cell.sample.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A recorded run with known answers: 60 s, steady from 10 s to 50 s, 2,000 messages a second, the
 * cell on 0.5 cores of its one.
 */
class SummaryTest {
  private static final List<String> PROMISED =
      List.of(
          "runId",
          "verdict",
          "target",
          "capped",
          "offeredPerSec",
          "achievedPushPerSec",
          "deliveredPerSec",
          "steadySeconds",
          "missing",
          "duplicate",
          "crossTenant",
          "cellCores",
          "cellCpuMicrosPerMessage",
          "cpuMicrosPerMessage",
          "loaderCores",
          "loaderSaturated",
          "throttledShare",
          "commitsPerMessage",
          "walBytesPerMessage",
          "memoryPeakBytes",
          "latencyMs",
          "topWaitEvents",
          "limitedBy",
          "sampleGaps",
          "samplerDied",
          "samplerCores",
          "othersCores",
          "neighbours");

  private static final Map<String, Long> CPU_MICROS =
      Map.of(
          "broker", 200_000L, "proxy", 120_000L, "state", 2_000L, "pg", 176_000L, "statepg",
          2_000L);

  private static ObjectNode record() {
    var record = Json.object();
    record.put("runId", "r1").put("verdict", "PASS").put("target", "proxy");
    record.put("offeredPerSec", 2_000.0).put("achievedPushPerSec", 1_999.5);
    record.put("deliveredPerSec", 1_998.0).put("deliveredInSteady", 80_000);
    record.put("steadySeconds", 40.0).put("steadyStartEpochMs", Recorded.EPOCH_MS + 10_000);
    record.put("steadyEndEpochMs", Recorded.EPOCH_MS + 50_000);
    record.put("missing", 0).put("duplicate", 0).put("crossTenant", 0);
    record.put("loaderCores", 0.3).put("loaderSaturated", false);
    record.putObject("latencyMs").put("p50", 4.1).put("p99", 20.5);
    return record;
  }

  private static ObjectNode sampler() {
    return Json.object()
        .put("capped", true)
        .put("capCpus", 1.0)
        .put("capMemoryBytes", 4L << 30)
        .put("hostCpus", 2)
        .put("intervalMs", 1_000);
  }

  private static List<Sample> usage() {
    var usage = new ArrayList<Sample>();
    usage.addAll(
        Recorded.unit(
            "slice",
            60,
            Map.of(
                "cpuMicros", 500_000L,
                "periods", 10L,
                "throttledPeriods", 1L,
                "throttledMicros", 30_000L,
                "memoryBytes", 800L,
                "memoryPeakBytes", 1_000L)));
    CPU_MICROS.forEach(
        (unit, micros) ->
            usage.addAll(
                Recorded.unit(unit, 60, Map.of("cpuMicros", micros, "memoryBytes", 100L))));
    usage.addAll(Recorded.unit("loader", 60, Map.of("cpuMicros", 310_000L)));
    usage.addAll(Recorded.unit("sampler", 60, Map.of("cpuMicros", 12_000L)));
    usage.addAll(Recorded.unit("samplerSessions", 60, Map.of("cpuMicros", 3_000L)));
    usage.addAll(Recorded.unit("machine", 60, Map.of("cpuMicros", 900_000L)));
    return usage;
  }

  private static List<Sample> database() {
    return Recorded.unit(
        "",
        60,
        Map.of(
            "commits", 440L, "walBytes", 900_000L, "walFsyncs", 220L, "walFsyncMicros", 110_000L));
  }

  private static JsonNode summary(ObjectNode record, List<Sample> usage, List<Sample> database) {
    return Summary.of(new Point(record, sampler(), usage, database, List.of(), counters()));
  }

  /** 3,000 requests a second at the proxy; the broker allocates 4 MB a second. */
  private static ServiceCounters counters() {
    var rows = new ArrayList<Map<String, String>>();
    for (int second = 0; second <= 60; second++) {
      rows.add(row(second, "proxy", ServiceCounters.PROXY_REQUESTS + "{}", 3_000L * second));
      rows.add(row(second, "broker", ServiceCounters.ALLOCATED_BYTES, 4_000_000L * second));
    }
    return ServiceCounters.of(rows);
  }

  private static Map<String, String> row(long second, String source, String series, long value) {
    return Map.of(
        "monotonicMs",
        Long.toString(second * 1_000),
        "source",
        source,
        "series",
        series,
        "value",
        Long.toString(value));
  }

  @Test
  void whatTheServicesCountBecomesCostsPerRequestAndMessage() {
    var summary = summary(record(), usage(), database());
    assertEquals(3_000, summary.path("proxyRequestsPerSec").doubleValue());
    assertEquals(1.5, summary.path("proxyRequestsPerMessage").doubleValue());
    assertEquals(40, summary.path("proxyCpuMicrosPerRequest").doubleValue());
    assertEquals(2_000, summary.path("allocatedBytesPerMessage").path("broker").doubleValue());
    assertTrue(summary.path("allocatedBytesPerMessage").path("proxy").isNull());
    assertEquals(150, summary.path("loaderCpuMicrosPerMessage").doubleValue());
  }

  @Test
  void everyPromisedKeyIsThere() {
    var summary = summary(record(), usage(), database());
    for (var key : PROMISED) {
      assertTrue(summary.has(key), key);
    }
  }

  @Test
  void costsAreWhatTheCellUsedOverWhatItDelivered() {
    var summary = summary(record(), usage(), database());
    assertEquals(0.5, summary.path("cellCores").doubleValue());
    assertEquals(250, summary.path("cellCpuMicrosPerMessage").doubleValue());
    assertEquals(100, summary.path("cpuMicrosPerMessage").path("broker").doubleValue());
    assertEquals(60, summary.path("cpuMicrosPerMessage").path("proxy").doubleValue());
    assertEquals(88, summary.path("cpuMicrosPerMessage").path("pg").doubleValue());
    assertEquals(0.22, summary.path("commitsPerMessage").doubleValue());
    assertEquals(450, summary.path("walBytesPerMessage").doubleValue());
    assertEquals(500, summary.path("walFsyncMicrosMean").doubleValue());
    assertEquals(0.1, summary.path("throttledShare").doubleValue());
    assertEquals(1_000, summary.path("memoryPeakBytes").path("slice").longValue());
    assertEquals(100, summary.path("memoryPeakBytes").path("broker").longValue());
    assertEquals("nothing", summary.path("limitedBy").asString());
    assertEquals(1.0, summary.path("sampleCoverage").doubleValue());
    assertEquals(0.012, summary.path("samplerCores").doubleValue());
    assertEquals(0.003, summary.path("samplerSessionCores").doubleValue());
    assertEquals(0.078, summary.path("othersCores").doubleValue(), 1e-9);
    assertTrue(summary.path("capped").booleanValue());
  }

  @Test
  void rampAndDrainAreLeftOut() {
    var usage = new ArrayList<Sample>();
    for (var line : usage()) {
      boolean steady = line.monotonicMs() > 10_000 && line.monotonicMs() <= 50_000;
      var values = line.value("cpuMicros") < 0 || steady ? line.values() : Map.of("cpuMicros", 9L);
      usage.add(
          new Sample(line.monotonicMs(), line.epochMs(), line.spanMs(), line.labels(), values));
    }
    var summary = summary(record(), usage, database());
    assertEquals(250, summary.path("cellCpuMicrosPerMessage").doubleValue());
  }

  @Test
  void missingSecondsChangeTheReportAndNotTheCost() {
    var usage = new ArrayList<Sample>();
    for (var line : usage()) {
      long second = line.monotonicMs() / 1_000;
      if (!line.label("unit").equals("slice") || second < 20 || second > 23) {
        usage.add(line);
      } else if (second == 23) {
        usage.add(Recorded.line("slice", 23_000, 4_000, Map.of("cpuMicros", 2_000_000L)));
      }
    }
    var summary = summary(record(), usage, database());
    assertEquals(250, summary.path("cellCpuMicrosPerMessage").doubleValue());
    assertEquals(1, summary.path("sampleGaps").size());
    assertEquals(19_000, summary.path("sampleGaps").path(0).path("afterMs").longValue());
    assertEquals(3, summary.path("sampleGaps").path(0).path("seconds").longValue());
    assertEquals(0.925, summary.path("sampleCoverage").doubleValue());
  }

  @Test
  void aSamplerThatDiedLateStillGivesTheCostAndOneThatDiedEarlyGivesNone() {
    var late = usage().stream().filter(line -> line.monotonicMs() <= 40_000).toList();
    assertEquals(
        250, summary(record(), late, database()).path("cellCpuMicrosPerMessage").doubleValue());
    var early = usage().stream().filter(line -> line.monotonicMs() <= 20_000).toList();
    var summary = summary(record(), early, database());
    assertTrue(summary.path("cellCpuMicrosPerMessage").isNull());
    assertTrue(summary.path("cellCores").isNull());
    assertFalse(summary.path("sampleGaps").isEmpty());
  }

  @Test
  void withoutAnySampleTheLoadersNumbersRemain() {
    var point =
        new Point(record(), Json.object(), List.of(), List.of(), List.of(), ServiceCounters.NONE);
    var summary = Summary.of(point);
    for (var key : PROMISED) {
      assertTrue(summary.has(key), key);
    }
    assertEquals(2_000, summary.path("offeredPerSec").doubleValue());
    assertTrue(summary.path("commitsPerMessage").isNull());
    assertTrue(summary.path("throttledShare").isNull());
    assertEquals(0, summary.path("sampleCoverage").doubleValue());
  }

  @Test
  void aRestartInTheMiddleIsReported() {
    var usage = new ArrayList<>(usage());
    usage.add(Recorded.line("broker", 60_500, 500, Map.of("cpuMicros", 1L, "restarted", 1L)));
    var summary = summary(record(), usage, database());
    assertEquals(1, summary.path("restarts").path("broker").longValue());
    assertEquals(0, summary.path("restarts").path("pg").longValue());
    var table = PointTable.render(summary);
    assertTrue(table.contains("note        started again during the run: broker 1"), table);
  }

  @Test
  void aStepOfTheWallClockIsReported() {
    var usage = new ArrayList<Sample>();
    for (var line : usage()) {
      long stepMs = line.monotonicMs() >= 30_000 ? -2_500 : 0;
      usage.add(
          new Sample(
              line.monotonicMs(),
              line.epochMs() + stepMs,
              line.spanMs(),
              line.labels(),
              line.values()));
    }
    var summary = summary(record(), usage, database());
    assertEquals(-2_500, summary.path("clockStepMs").longValue());
    assertEquals(250, summary.path("cellCpuMicrosPerMessage").doubleValue());
  }

  @Test
  void theCommonestWaitsOfClientsInTheWindowComeFirst() {
    var waits = new ArrayList<Sample>();
    for (int second = 1; second <= 60; second++) {
      waits.add(Recorded.wait(second * 1_000L, "IO", "WalSync", 3));
      waits.add(Recorded.wait(second * 1_000L, "CPU", "running", 1));
    }
    waits.add(Recorded.wait(5_000, "Lock", "relation", 1_000));
    var summary =
        Summary.of(
            new Point(record(), sampler(), usage(), database(), waits, ServiceCounters.NONE));
    assertEquals(2, summary.path("topWaitEvents").size());
    assertEquals("IO/WalSync", summary.path("topWaitEvents").path(0).path("event").asString());
    assertEquals(0.75, summary.path("topWaitEvents").path(0).path("share").doubleValue());
    var table = PointTable.render(summary);
    assertTrue(table.contains("IO/WalSync 75.0%  CPU/running 25.0%  (seen 160)"), table);
  }

  @Test
  void aRunWithoutASteadyWindowIsSummarisedWholeAndSaysSo() {
    var record = record();
    record.remove(List.of("steadySeconds", "steadyStartEpochMs", "deliveredInSteady"));
    var summary = summary(record, usage(), database());
    assertEquals("whole run", summary.path("window").asString());
    assertEquals(60, summary.path("steadySeconds").doubleValue());
    assertEquals(500_000 / 1_998.0, summary.path("cellCpuMicrosPerMessage").doubleValue(), 1e-3);
  }

  @Test
  void nothingDeliveredIsNoCostPerMessage() {
    var record = record();
    record.put("deliveredInSteady", 0).put("deliveredPerSec", 0.0);
    var summary = summary(record, usage(), database());
    assertTrue(summary.path("cellCpuMicrosPerMessage").isNull());
    assertEquals(0.5, summary.path("cellCores").doubleValue());
  }

  @Test
  void refusalsByQuotaThatExplainTheShortfallAreTheLimit() {
    var record = record();
    record.put("deliveredInSteady", 40_000);
    record.putObject("steadyTotals").put("pushFailed", 40_000);
    record
        .putObject("errors")
        .put("push.429.rate_limited", 900)
        .put("push.timeout", 100)
        .put("pop.429.rate_limited", 1_000_000);
    assertEquals("quota", summary(record, usage(), database()).path("limitedBy").asString());
    record.putObject("errors").put("push.429.rate_limited", 100).put("push.timeout", 900);
    assertEquals("commits", summary(record, usage(), database()).path("limitedBy").asString());
  }

  @Test
  void aPointThatWasForcedOnABusyMachineSaysSo() {
    var sampler = sampler();
    sampler.putObject("neighbours").put("quiet", false).put("text", "others use 0.75");
    var point = new Point(record(), sampler, usage(), database(), List.of(), ServiceCounters.NONE);
    var summary = Summary.of(point);
    assertEquals("others use 0.75", summary.path("neighbours").path("text").asString());
    var table = PointTable.render(summary);
    assertTrue(table.contains("note        measured all the same: others use 0.75"), table);
  }

  @Test
  void theTableSaysWhatAPersonMustKnow() {
    var table = PointTable.render(summary(record(), usage(), database()));
    assertTrue(table.contains("r1  PASS  through proxy"), table);
    assertTrue(table.contains("offered 2000.0/s  pushed 1999.5/s  delivered 1998.0/s"), table);
    assertTrue(table.contains("0.50 cores of 1.00  throttled 10.0% of periods"), table);
    assertTrue(table.contains("broker 100  proxy 60  state 1  pg 88  statepg 1  cell 250"), table);
    assertTrue(table.contains("p50 4.1  p90 ?  p99 20.5"), table);
    assertTrue(table.contains("WAL syncs   500 µs each  0.110/msg"), table);
    assertTrue(
        table.contains("loader 0.30  sampler 0.01  others 0.08; in it: sampling 0.003)"), table);
    assertFalse(table.contains("note"), table);
  }
}
