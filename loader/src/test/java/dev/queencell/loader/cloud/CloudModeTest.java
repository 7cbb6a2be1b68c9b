package dev.queencell.loader.cloud;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.loader.fixture.FixtureFaults;
import dev.queencell.loader.fixture.FixtureServer;
import dev.queencell.loader.options.BadOptionException;
import dev.queencell.loader.options.Options;
import dev.queencell.loader.provision.BenchTenant;
import dev.queencell.loader.provision.TenantsFile;
import dev.queencell.loader.run.Interruption;
import dev.queencell.loader.run.Invocation;
import dev.queencell.service.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** Whole runs of {@code -mode cloud} against a real server that misbehaves to order. */
@Timeout(60)
class CloudModeTest {
  private final FixtureServer server = new FixtureServer();
  private final ByteArrayOutputStream said = new ByteArrayOutputStream();
  private final Interruption interruption = new Interruption();
  private Options options;
  private int exit;
  @TempDir private Path directory;

  @BeforeEach
  void provision() throws IOException {
    TenantsFile.write(
        directory.resolve("tenants.json"),
        List.of(
            new BenchTenant(0, "t0", "t0", "c0", "00000000-0000-4000-8000-000000000000", "qk_0"),
            new BenchTenant(1, "t1", "t1", "c1", "00000000-0000-4000-8000-000000000001", "qk_1")));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  /** Runs the mode and reads its record. */
  private JsonNode run(String line) throws Exception {
    var arguments =
        new ArrayList<>(
            List.of(
                ("-mode cloud -target proxy -url %s -tenants-file %s -out %s -run-id r -duration 1"
                        + " -rate 300 -partitions 2 -pop-timeout 500 -pop-batch 10 -report 1"
                        + " -drain 10 -consumers-per-tenant 2")
                    .formatted(server.url(), directory.resolve("tenants.json"), directory)
                    .split(" ", -1)));
    arguments.addAll(List.of(line.split(" ", -1)));
    arguments.removeIf(String::isEmpty);
    options = CloudMode.OPTIONS.parse(arguments.toArray(String[]::new));
    exit =
        CloudMode.run(
            new Invocation(
                options,
                Map.of(),
                new PrintStream(said, true, StandardCharsets.UTF_8),
                false,
                interruption));
    return Json.mapper().readTree(Files.readAllBytes(directory.resolve("r.json")));
  }

  private void assertCounts(JsonNode record, Map<String, Integer> expected) {
    for (var key :
        List.of("missing", "duplicate", "extra", "crossTenant", "orderViolations", "corrupt")) {
      assertEquals(
          expected.getOrDefault(key, 0),
          record.path(key).asInt(-1),
          () -> key + " in\n" + report());
    }
  }

  private String report() {
    return said.toString(StandardCharsets.UTF_8);
  }

  @Test
  void aHealthyServerPassesAndEveryMessageIsAccountedFor() throws Exception {
    var record = run("");

    assertEquals(0, exit);
    assertEquals("PASS", record.path("verdict").asString());
    assertCounts(record, Map.of());
    assertEquals(300, record.at("/totals/offered").asInt());
    assertEquals(300, record.at("/totals/accepted").asInt());
    assertEquals(300, record.at("/totals/delivered").asInt());
    assertEquals(0, record.path("backlog").asInt(-1));
    assertEquals(300, record.at("/latencyMs/count").asInt());
    assertEquals(30, server.lastOptions().path("leaseTime").asInt());
    assertTrue(Files.readString(directory.resolve("r.hlog")).contains("Tag=end-to-end"));
    assertTrue(Files.readAllLines(directory.resolve("r-interval.csv")).size() >= 2);
  }

  @Test
  void aBrokerIsAskedForItsBuildAndToldTheTenantByItsHeader() throws Exception {
    var record = run("-target broker -rate 50");

    assertEquals("PASS", record.path("verdict").asString(), this::report);
    assertEquals("fixture", record.at("/builds/broker/version").asString());
    assertTrue(record.at("/builds/proxy").isNull());
  }

  @Test
  void theHelpListsNothingThatTheRunDoesNotRead() throws Exception {
    run("-target broker -rate 50");
    assertEquals("[]", options.unread().toString());
  }

  @Test
  void aRecordIsWhatItsSchemaSays() throws Exception {
    run("-fault dup-push=1");
    var schema =
        com.networknt.schema.SchemaRegistry.withDefaultDialect(
                com.networknt.schema.SpecificationVersion.DRAFT_2020_12)
            .getSchema(CloudModeTest.class.getResourceAsStream("/run-record.schema.json"));
    var problems =
        schema.validate(
            Files.readString(directory.resolve("r.json")), com.networknt.schema.InputFormat.JSON);
    assertEquals(List.of(), problems);
  }

  @ParameterizedTest
  @CsvSource({
    "dup-push, 4, duplicate",
    "lose-msg, 3, missing",
    "drop-ack, 5, duplicate",
    "swap, 2, orderViolations",
    "cross, 6, crossTenant"
  })
  void everyInjectedFaultIsFoundExactlyAsOftenAsItWasInjected(String fault, int n, String count)
      throws Exception {
    // Long enough for a slow machine's first acks, short enough to end within the drain.
    server.leaseMs(3_000);
    var record =
        run((fault.equals("drop-ack") ? "-drain 9" : "-drain 2") + " -fault " + fault + "=" + n);

    assertEquals(3, exit);
    assertEquals("FAIL", record.path("verdict").asString());
    assertCounts(record, Map.of(count, n));
    assertEquals(n, record.at("/faults/" + fault + "/injected").asInt());
    assertTrue(!record.path("offenders").isEmpty());
  }

  @ParameterizedTest
  @CsvSource({"dup-push, duplicate", "lose-msg, missing", "swap, orderViolations"})
  void faultsHitTheTenantThatIsNamed(String fault, String count) throws Exception {
    var record = run("-drain 2 -fault-tenant 1 -fault " + fault + "=3");

    assertEquals(3, exit);
    assertCounts(record, Map.of(count, 3));
    record
        .path("offenders")
        .forEach(o -> assertEquals(1, o.path("tenant").asInt(-1), this::report));
  }

  @Test
  void aTenantThatIsNotThereCanNotBeHit() {
    var refusal =
        assertThrows(BadOptionException.class, () -> run("-fault-tenant 2 -fault lose-msg=1"));
    assertEquals(
        "-fault-tenant is '2'; it takes the number of one of the 2 tenants, from 0",
        refusal.getMessage());
  }

  @Test
  void faultsThatTheRunHasNoMessagesForAreSaid() throws Exception {
    var record = run("-drain 2 -rate 20 -fault lose-msg=500,cross=1");

    assertEquals(3, exit);
    assertEquals(20, record.path("missing").asInt());
    assertTrue(
        report().contains("FAULTS ARE MISSING: 20 of 500 lose-msg were injected"), this::report);
    assertTrue(report().contains("FAULTS ARE MISSING: 0 of 1 cross were injected"), this::report);
  }

  @Test
  void allFaultsTogetherAreStillCountedApart() throws Exception {
    server.leaseMs(3_000);
    var record = run("-drain 9 -fault dup-push=2,lose-msg=3,drop-ack=4,swap=1,cross=2");

    assertEquals(3, exit);
    assertCounts(
        record, Map.of("duplicate", 6, "missing", 3, "orderViolations", 1, "crossTenant", 2));
  }

  @ParameterizedTest
  @CsvSource({
    "FORGET, 3, missing",
    "STORE_TWICE, 4, duplicate",
    "OVERTAKE, 1, orderViolations",
    "GARBLE, 2, corrupt"
  })
  void aServersMisdeedsAreFound(FixtureFaults.Kind kind, int n, String count) throws Exception {
    server.faults().order(kind, n);
    var record = run("-drain 2 -rate 100");

    assertEquals(3, exit);
    assertCounts(record, Map.of(count, n));
  }

  @Test
  void aMessageThatAnotherTenantGetsIsCrossAndMissing() throws Exception {
    server.faults().order(FixtureFaults.Kind.MISDELIVER, 1);
    var record = run("-drain 2 -active-fraction 0.5");

    assertEquals(3, exit);
    assertCounts(record, Map.of("crossTenant", 1, "missing", 1));
  }

  @Test
  void refusalsMakeThePassAnEnforcedOne() throws Exception {
    server.faults().order(FixtureFaults.Kind.REFUSE_PUSH, 20);
    var record = run("");

    assertEquals(0, exit);
    assertEquals("PASS (enforced)", record.path("verdict").asString());
    assertEquals(20, record.at("/errors/push.429.rate_limited").asInt());
    assertEquals(280, record.at("/totals/accepted").asInt());
  }

  @Test
  void redeliveriesWithARecordedCauseAreNoFailure() throws Exception {
    server.leaseMs(300);
    server
        .faults()
        .order(FixtureFaults.Kind.LOSE_POP_ANSWER, 2)
        .order(FixtureFaults.Kind.FAIL_ACK, 2)
        .order(FixtureFaults.Kind.LOSE_ACK_ANSWER, 1)
        .order(FixtureFaults.Kind.LOSE_PUSH_ANSWER, 1);
    var record = run("");

    assertEquals(0, exit, this::report);
    assertEquals("PASS", record.path("verdict").asString());
    assertEquals(0, record.path("missing").asInt());
    assertEquals(1, record.path("extra").asInt());
    assertTrue(record.path("duplicate").asInt() > 0);
    assertEquals(2, record.at("/errors/pop.reset").asInt());
    assertEquals(2, record.at("/errors/ack.500").asInt());
  }

  @Test
  void aServerThatDiesInTheMiddleAndComesBackCostsNothingThatWasAccepted() throws Exception {
    server.leaseMs(500);
    var outage =
        CompletableFuture.runAsync(
            () -> {
              awaitAccepted();
              server.kill();
              server.startAgain();
            });
    var record = run("-duration 2");
    outage.join();

    assertEquals(0, exit, this::report);
    assertEquals(0, record.path("missing").asInt());
    assertTrue(record.path("errors").size() > 0);
    assertTrue(record.at("/totals/accepted").asInt() > 300, this::report);
  }

  /** Until the first report line. */
  private void awaitAccepted() {
    long deadline = System.nanoTime() + 20_000_000_000L;
    while (!said.toString(StandardCharsets.UTF_8).contains("accepted")
        && System.nanoTime() - deadline < 0) {
      Thread.onSpinWait();
    }
  }

  @Test
  void whatIsStillQueuedAtTheCutoffIsBacklogAndNotLoss() throws Exception {
    server.answerDelay(200);
    var record = run("-drain 0 -consumers-per-tenant 1 -pop-batch 1 -partitions 1");

    assertEquals(0, exit, this::report);
    assertEquals(0, record.path("missing").asInt());
    assertTrue(record.path("backlog").asInt() > 200, this::report);
  }

  @Test
  void pushesDueAtTheCapAreShedAndCounted() throws Exception {
    server.answerDelay(300);
    var record = run("-max-inflight 2 -consumers-per-tenant 4");

    int shed = record.at("/totals/shed").asInt();
    assertTrue(shed > 250, this::report);
    assertEquals(300, record.at("/totals/offered").asInt());
    assertEquals(300 - shed, record.at("/totals/accepted").asInt());
  }

  @Test
  void anInterruptedRunLeavesAPartialRecord() throws Exception {
    var interrupter =
        CompletableFuture.runAsync(
            () -> {
              awaitAccepted();
              interruption.raise();
            });
    var record = run("-duration 600");
    interrupter.join();

    assertEquals(130, exit);
    assertTrue(record.path("partial").asBoolean());
    assertTrue(record.path("steadySeconds").asDouble() < 30);
    assertEquals(0, record.path("missing").asInt());
  }

  @Test
  void withoutVerificationTheRunCountsAndGivesNoVerdict() throws Exception {
    server.faults().order(FixtureFaults.Kind.STORE_TWICE, 1);
    var record = run("-verify=false");

    assertEquals(0, exit);
    assertEquals("UNVERIFIED", record.path("verdict").asString());
    assertEquals(300, record.at("/totals/accepted").asInt());
  }

  @Test
  void batchesAndSeveralLanesPerPopAreAccountedForToo() throws Exception {
    var record = run("-push-batch 10 -rate 2000 -pop-partitions 4 -pop-batch 50 -ramp-sec 0");

    assertEquals(0, exit, this::report);
    assertEquals(2000, record.at("/totals/delivered").asInt());
  }
}
