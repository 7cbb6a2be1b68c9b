package dev.queencell.loader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.loader.app.AppMode;
import dev.queencell.loader.fixture.ModeRun;
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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** The modes without tenants as whole processes against the real broker. */
@Timeout(240)
class ModesAgainstBrokerIT {
  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();

  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Pattern REPORTED = Pattern.compile("^ +[1-9]\\d*s offered");
  private static JavaProcess broker;
  private static URI url;
  @TempDir private static Path spool;
  @TempDir private Path directory;

  @BeforeAll
  static void start() {
    broker =
        JavaProcess.ofClass("dev.queencell.broker.BrokerMain")
            .env("PORT", "0")
            .env("PG_HOST", DATABASE.host())
            .env("PG_PORT", Integer.toString(DATABASE.port()))
            .env("PG_USER", DATABASE.user())
            .env("PG_PASSWORD", DATABASE.password())
            .env("PG_DB", DATABASE.database())
            .env("FILE_BUFFER_DIR", spool.toString())
            .start();
    url = broker.awaitReady();
  }

  @AfterAll
  static void stop() {
    broker.close();
  }

  private JavaProcess load(String options) {
    var launch = JavaProcess.ofClass("dev.queencell.loader.LoaderMain");
    var line = options + " -url " + url + " -out " + directory + " -run-id r -report 1";
    for (var argument : line.split(" +", -1)) {
      launch.argument(argument);
    }
    return launch.start();
  }

  private JsonNode record() throws IOException {
    return Json.mapper().readTree(Files.readAllBytes(directory.resolve("r.json")));
  }

  private static String said(JavaProcess process) {
    return String.join("\n", process.output());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-mode max -queue m -duration 3 -producers 8 -consumers 8 -partitions 20",
        "-mode openloop -queue o1 -duration 3 -rate 2000 -consumers 8 -verify",
        "-mode openloop -queue o2 -duration 3 -rate 5000 -push-batch 100 -pop-batch 1000"
            + " -pop-partitions 10 -consumers 8 -manual-ack -ack-async -verify",
        "-mode openloop -queue o3 -duration 4 -rate 2000 -partitions 10000 -active-partitions 500"
            + " -pop-partitions 100 -consumers 4 -verify",
        "-mode order -messages 1000 -push-batch 3 -partitions 4",
        "-mode cm -properties 10 -rate-events 100 -duration 4 -ramp-sec 1 -ota-groups 2",
        "-mode app -duration 4 -rate 100 -partitions 10 -fail-share 0.05 -poison-share 0.01 -drain 60"
      })
  void everyModePassesAndItsRecordIsWhatItsSchemaSays(String options) throws IOException {
    try (var loader = load(options)) {
      assertEquals(0, loader.exitCode(PATIENCE), () -> said(loader));
      assertEquals(List.of(), ModeRun.schemaProblems(directory.resolve("r.json")));
      var record = record();
      assertTrue(record.at("/totals/delivered").asLong() > 0, () -> said(loader));
      assertEquals(0, record.path("missing").asLong(), () -> said(loader));
      assertTrue(loader.output().getFirst().startsWith("config mode="), () -> said(loader));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "dup-push, 1, duplicate",
    "dup-push, 7, duplicate",
    "lose-msg, 1, missing",
    "lose-msg, 9, missing",
    "drop-ack, 1, duplicate",
    "drop-ack, 6, duplicate",
    "swap, 1, orderViolations",
    "swap, 5, orderViolations"
  })
  void aFaultMakesExactlyItsCountAgainstTheRealBroker(String fault, int n, String count)
      throws IOException {
    try (var loader =
        load(
            "-mode openloop -queue f-%s-%d -verify -manual-ack -lease-time 3 -rate 300 -duration 3"
                    .formatted(fault, n)
                + " -push-batch 1 -partitions 6 -consumers 4 -pop-wait -drain 15 -fault "
                + fault
                + "="
                + n)) {
      assertEquals(3, loader.exitCode(PATIENCE), () -> said(loader));
      for (var key : List.of("missing", "duplicate", "orderViolations", "crossTenant", "extra")) {
        assertEquals(
            key.equals(count) ? n : 0, record().path(key).asInt(), () -> key + "\n" + said(loader));
      }
    }
  }

  @Test
  void poisonedOrdersEndAsDeadLettersAndInvoicesComeExactlyOnce() throws IOException {
    try (var loader =
        load(
            "-mode app -queue poisoned -duration 4 -rate 150 -partitions 5 -poison-share 0.03"
                + " -fail-share 0 -retry-limit 1 -drain 60")) {
      assertEquals(0, loader.exitCode(PATIENCE), () -> said(loader));
      var tenants = record().path("tenants");
      long orders = tenants.path(0).path("accepted").asLong();
      assertEquals(orders, tenants.path(4).path("accepted").asLong(), () -> said(loader));
      assertEquals(orders, tenants.path(4).path("delivered").asLong(), () -> said(loader));
      assertEquals(0, tenants.path(4).path("duplicate").asLong(), () -> said(loader));
      assertTrue(
          loader.output().stream()
              .anyMatch(l -> l.matches("dead letters [1-9]\\d*, of which 0 .*")),
          () -> said(loader));
    }
  }

  @Test
  void aStallOfTheBrokerIsSecondsInTheTailAndInTheMean() throws Exception {
    try (var loader =
        load("-mode openloop -queue stall -duration 12 -rate 200 -partitions 8 -consumers 4")) {
      loader.awaitLine(REPORTED, PATIENCE);
      broker.pause();
      try {
        // The stall is what is measured, so its length is the one time that counts here.
        Thread.sleep(4_000);
      } finally {
        broker.resume();
      }
      assertEquals(0, loader.exitCode(PATIENCE), () -> said(loader));
      var latency = record().path("pushLatencyMs");
      assertTrue(latency.path("p99").asDouble() > 2_000, () -> said(loader));
      assertTrue(latency.path("mean").asDouble() > 300, () -> said(loader));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-mode max -queue i1 -producers 4 -consumers 4",
        "-mode openloop -queue i2 -rate 200 -verify",
        "-mode order -queue i3 -messages 0",
        "-mode cm -properties 4 -rate-events 50 -ramp-sec 0 -ota-groups 1",
        "-mode app -queue i4 -rate 50 -duration 600"
      })
  void aSignalEndsAnyRunWithAValidPartialRecord(String options) throws IOException {
    try (var loader = load(options)) {
      loader.awaitLine(REPORTED, PATIENCE);
      loader.terminate();
      assertEquals(130, loader.exitCode(PATIENCE), () -> said(loader));
      assertTrue(record().path("partial").asBoolean());
      assertEquals(List.of(), ModeRun.schemaProblems(directory.resolve("r.json")));
      if (record().path("verified").asBoolean()) {
        assertEquals(0, record().path("missing").asInt(), () -> said(loader));
      }
    }
  }

  @Test
  void theHelpOfAppListsNothingThatTheRunDoesNotRead() throws Exception {
    var run =
        new ModeRun(directory)
            .run(AppMode.OPTIONS, AppMode::run, "-queue read -duration 1 -url " + url);
    assertEquals(0, run.exit(), run::said);
    assertEquals(List.of(), run.unread());
  }
}
