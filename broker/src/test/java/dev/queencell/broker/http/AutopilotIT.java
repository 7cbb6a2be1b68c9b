package dev.queencell.broker.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.broker.engine.CellEngine;
import dev.queencell.broker.engine.Metering;
import dev.queencell.broker.http.ApiConfig.Autopilot.Mode;
import dev.queencell.testsupport.TestDatabase;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/**
 * What pops leave to the broker with {@code autopilot=true}, in each of its modes, over HTTP on the
 * real engine. A second tenant has more lanes under the same names, which must change nothing.
 */
@Timeout(120)
class AutopilotIT {
  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();

  private static final String NEW_GROUP = "?subscriptionMode=all&consumerGroup=";

  private static CellEngine engine;

  private final UUID tenant = UUID.randomUUID();
  private final UUID neighbour = UUID.randomUUID();
  private ApiFixture api;

  @BeforeAll
  static void open() {
    engine = ApiFixture.engineOn(DATABASE);
  }

  @AfterAll
  static void close() {
    engine.close();
  }

  @BeforeEach
  void serve() {
    serve(Mode.ON);
    var client = new WireClient(api, tenant);
    var beside = new WireClient(api, neighbour);
    for (var partition : List.of("a", "b", "c")) {
      client.push("pilot.q", partition, "1", "2");
      beside.push("pilot.q", partition, "x");
      beside.push("pilot.q", partition + partition, "y");
    }
  }

  private void serve(Mode mode) {
    if (api != null) {
      api.close();
    }
    api = new ApiFixture(engine, mode);
  }

  @AfterEach
  void closeApi() {
    var beside = pop(neighbour, "end&batch=10&partitions=10").get("messages");
    assertEquals(6, beside.size(), "all of the neighbour's and nothing else");
    api.close();
  }

  private JsonNode pop(UUID who, String query) {
    return api.getAs(who, "/api/v1/pop/queue/pilot.q" + NEW_GROUP + query).json();
  }

  @Test
  void whatWasNotSentIsChosenAndToldAndNothingElse() {
    var all = pop(tenant, "g&autopilot=true&wait=true");
    assertEquals(6, all.get("messages").size());
    assertEquals(
        "{\"partitions\":3,\"batch\":100,\"waitMs\":30000}", all.get("autopilot").toString());
    assertEquals(
        "{\"partitions\":6,\"batch\":100}",
        pop(neighbour, "g&autopilot=true").get("autopilot").toString());
    var two = pop(tenant, "h&autopilot=true&batch=2");
    assertEquals(2, two.get("messages").size());
    assertEquals("{\"partitions\":2}", two.get("autopilot").toString());
    assertEquals(
        "{\"waitMs\":30000}",
        pop(tenant, "i&autopilot=true&batch=2&partitions=1&wait=true").get("autopilot").toString());
    assertFalse(
        pop(tenant, "j&autopilot=true&batch=2&partitions=1&wait=true&timeout=500")
            .has("autopilot"));
  }

  @Test
  void whereItDoesNotApplyItIsAsIfAbsent() {
    var pinned = "/api/v1/pop/queue/pilot.q/partition/a" + NEW_GROUP + "k&autopilot=true";
    assertFalse(api.getAs(tenant, pinned).json().has("autopilot"));
    var discovery = "/api/v1/pop" + NEW_GROUP + "l&namespace=pilot&autopilot=true";
    var found = api.getAs(tenant, discovery).json();
    assertFalse(found.has("autopilot"));
    assertEquals(1, found.get("partitionsClaimed").intValue());
    var noGroup = api.getAs(tenant, "/api/v1/pop/queue/pilot.q?autopilot=true").json();
    assertFalse(noGroup.has("autopilot"));
    assertEquals(1, noGroup.get("partitionsClaimed").intValue());
    assertTrue(pop(tenant, "m&conflation=true&batch=1").get("conflation").booleanValue());
    var conflating = pop(tenant, "m&autopilot=true");
    assertEquals(2, conflating.get("messages").size());
    assertFalse(conflating.has("autopilot"));
  }

  @Test
  void inTheShadowPopsAreAsIfItWereAbsentAndWhatItWouldHaveChosenIsCounted() {
    serve(Mode.SHADOW);
    var applied = engine.metering().autopilot(true);
    var shadow = engine.metering().autopilot(false);
    var one = pop(tenant, "n&autopilot=true&wait=true");
    assertFalse(one.has("autopilot"));
    assertEquals(1, one.get("partitionsClaimed").intValue());
    assertEquals(2, one.get("messages").size());
    assertEquals(
        new Metering.Autopilot(shadow.pops() + 1, shadow.partitions() + 3),
        engine.metering().autopilot(false));
    assertEquals(applied, engine.metering().autopilot(true));
    assertTrue(
        api.get("/metrics/prometheus")
            .body()
            .contains("queencell_autopilot_pops_total{mode=\"shadow\"} " + (shadow.pops() + 1.0)));
  }

  @Test
  void switchedOffNothingIsChosenNorCounted() {
    serve(Mode.OFF);
    var applied = engine.metering().autopilot(true);
    var shadow = engine.metering().autopilot(false);
    var one = pop(tenant, "o&autopilot=true&wait=true");
    assertFalse(one.has("autopilot"));
    assertEquals(1, one.get("partitionsClaimed").intValue());
    assertEquals(shadow, engine.metering().autopilot(false));
    assertEquals(applied, engine.metering().autopilot(true));
  }
}
