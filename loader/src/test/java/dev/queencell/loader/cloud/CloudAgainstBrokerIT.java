package dev.queencell.loader.cloud;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.loader.provision.BenchTenant;
import dev.queencell.loader.provision.TenantsFile;
import dev.queencell.service.Json;
import dev.queencell.testsupport.JavaProcess;
import dev.queencell.testsupport.TestDatabase;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** Whole loader processes against the real broker. */
@Timeout(240)
class CloudAgainstBrokerIT {
  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();

  private static final Pattern DELIVERING = Pattern.compile("delivered [1-9]");
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  @TempDir private Path directory;
  private JavaProcess broker;
  private URI url;

  @BeforeEach
  void start() throws IOException {
    broker = startBroker(0);
    url = broker.awaitReady();
    TenantsFile.write(
        directory.resolve("tenants.json"),
        List.of(
            new BenchTenant(0, "t0", "t0", "", "00000000-0000-4000-8000-000000000001", ""),
            new BenchTenant(1, "t1", "t1", "", "00000000-0000-4000-8000-000000000002", "")));
  }

  @AfterEach
  void stop() {
    // In order: it gives its ownership up, so that the next test's broker need not wait for its
    // end.
    broker.terminate();
    broker.exitCode(PATIENCE);
    broker.close();
  }

  private JavaProcess startBroker(int port) {
    return JavaProcess.ofClass("dev.queencell.broker.BrokerMain")
        .env("PORT", Integer.toString(port))
        .env("PG_HOST", DATABASE.host())
        .env("PG_PORT", Integer.toString(DATABASE.port()))
        .env("PG_USER", DATABASE.user())
        .env("PG_PASSWORD", DATABASE.password())
        .env("PG_DB", DATABASE.database())
        .env("QUEEN_TENANCY_HEADER", "true")
        .env("QUEEN_KV_TRUSTED_PROXY", "true")
        .env("FILE_BUFFER_DIR", directory.resolve("spool").toString())
        .start();
  }

  private JavaProcess load(String runId, String options) {
    var line =
        ("-mode cloud -target broker -url %s -tenants-file %s -out %s -run-id %s -queue %s -rate 100"
                + " -partitions 3 -producers-per-tenant 2 -consumers-per-tenant 2 -report 1"
                + " -drain 60 %s")
            .formatted(url, directory.resolve("tenants.json"), directory, runId, runId, options);
    var launch = JavaProcess.ofClass("dev.queencell.loader.LoaderMain");
    for (var argument : line.strip().split(" ", -1)) {
      launch.argument(argument);
    }
    return launch.start();
  }

  private JsonNode record(String runId) throws IOException {
    return Json.mapper().readTree(Files.readAllBytes(directory.resolve(runId + ".json")));
  }

  private static String said(JavaProcess process) {
    return String.join("\n", process.output());
  }

  @Test
  void aHealthyBrokerPasses() throws IOException {
    try (var loader = load("healthy", "-duration 4")) {
      assertEquals(0, loader.exitCode(PATIENCE), () -> said(loader));
      var record = record("healthy");
      assertEquals("PASS", record.path("verdict").asString());
      assertEquals(400, record.at("/totals/delivered").asInt());
      assertTrue(record.at("/builds/broker/version").isString());
    }
  }

  @ParameterizedTest
  @CsvSource({"2, 3, 4, 1, 2", "1, 2, 3, 2, 5"})
  void everyFaultIsFoundThroughTheRealLeasesToo(
      int dupPush, int loseMsg, int dropAck, int swap, int cross) throws IOException {
    var run = "faulty-" + cross;
    var faults =
        "dup-push=%d,lose-msg=%d,drop-ack=%d,swap=%d,cross=%d"
            .formatted(dupPush, loseMsg, dropAck, swap, cross);
    try (var loader = load(run, "-duration 4 -lease-time 5 -fault " + faults + " -drain 20")) {
      assertEquals(3, loader.exitCode(PATIENCE), () -> said(loader));
      var record = record(run);
      assertEquals(dupPush + dropAck, record.path("duplicate").asInt(), () -> said(loader));
      assertEquals(loseMsg, record.path("missing").asInt(), () -> said(loader));
      assertEquals(swap, record.path("orderViolations").asInt(), () -> said(loader));
      assertEquals(cross, record.path("crossTenant").asInt(), () -> said(loader));
    }
  }

  @Test
  void aBrokerKilledInTheMiddleLosesNothingAndTheRunGoesOn() throws IOException {
    try (var loader = load("killed", "-duration 20 -lease-time 5")) {
      loader.awaitLine(DELIVERING, PATIENCE);
      broker.kill9();
      broker = startBroker(url.getPort());
      assertEquals(0, loader.exitCode(PATIENCE), () -> said(loader));
      var record = record("killed");
      assertEquals("PASS", record.path("verdict").asString());
      assertEquals(0, record.path("missing").asInt());
      assertTrue(record.at("/errors/push.refused").asInt() > 0, () -> said(loader));
    }
  }

  @Test
  void aSignalEndsTheRunWithAPartialRecord() throws IOException {
    try (var loader = load("signalled", "-duration 600")) {
      loader.awaitLine(DELIVERING, PATIENCE);
      loader.terminate();
      assertEquals(130, loader.exitCode(PATIENCE), () -> said(loader));
      var record = record("signalled");
      assertTrue(record.path("partial").asBoolean());
      assertEquals(0, record.path("missing").asInt(), () -> said(loader));
    }
  }
}
