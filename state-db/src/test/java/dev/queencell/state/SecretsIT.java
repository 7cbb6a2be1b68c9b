package dev.queencell.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.queencell.service.Json;
import dev.queencell.testsupport.TestDatabase;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Goes through everything that a secret passes, and then looks for it everywhere. */
class SecretsIT {
  private static final String PASSWORD = "correct-horse-battery-9";
  private static final String CELL_SECRET = "cell-secret-of-this-test";
  private static final String SIGNING = "signing-secret-of-this-test-32-bytes";

  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();

  private final Logger root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private final List<String> refusals = new ArrayList<>();
  private RunningState state;

  @BeforeEach
  void start() throws Exception {
    log.start();
    root.addAppender(log);
    for (var name :
        List.of("com.zaxxer.hikari", "org.flywaydb", "dev.queencell", "org.postgresql")) {
      ((Logger) LoggerFactory.getLogger(name)).setLevel(Level.TRACE);
    }
    state = RunningState.start(DATABASE, Map.of("QUEEN_PROXY_JWT_SECRET", SIGNING));
  }

  @AfterEach
  void stop() {
    state.close();
    root.detachAppender(log);
  }

  @Test
  void noSecretIsInALogADumpOrAnErrorBody() throws Exception {
    var client = state.client();
    client.post(
        "/api/cp/cells",
        "{\"slug\": \"bench\", \"base_url\": \"http://127.0.0.1:6632\", \"cell_secret\": \"%s\"}"
            .formatted(CELL_SECRET));
    var made =
        client.post(
            "/api/cp/bootstrap",
            "{\"tenant_slug\": \"acme\", \"admin_email\": \"a@acme.test\", \"password\": \"%s\"}"
                .formatted(PASSWORD));
    var key = made.text("api_key");
    var rotated = client.post("/api/cp/keys/" + made.text("key_id") + "/rotate", "{}");
    var login = front("POST", "/auth/login", login(PASSWORD));
    assertEquals(200, login.status(), login::toString);

    // Whatever a confused caller may put where.
    refuse(client.get("/api/cp/clusters/" + key + "/keys"));
    refuse(client.get("/api/cp/" + key));
    refuse(client.edge("/api/edge/keys/" + key));
    refuse(client.edge("/api/edge/clusters/by-slug/" + key));
    refuse(client.post("/api/cp/keys/" + key + "/rotate", "{}"));
    refuse(client.delete("/api/cp/keys/" + key));
    refuse(client.post("/api/cp/keys/check", "{\"key_hashes\": [\"%s\"]}".formatted(key)));
    refuse(state.edge("POST", "/api/edge/keys/used", Json.object().set("key_ids", list(key))));
    for (var secret : List.of(key, PASSWORD, SIGNING)) {
      refuse(front("POST", "/auth/login", login(secret + "x")));
      refuse(front("POST", "/api/console/keys", Json.object().put("name", secret)));
      refuse(state.edge("POST", "/api/edge/sessions/verify", Json.object().put("token", secret)));
      refuse(client.call("GET", "/api/cp/cells", null, "x-queen-cp-token", secret));
    }
    var hidden = new LinkedHashMap<String, String>();
    hidden.put("key", key);
    hidden.put("rotated key", rotated.text("api_key"));
    hidden.put("password", PASSWORD);
    hidden.put("signing secret", SIGNING);
    hidden.put("admin token", StateClient.ADMIN_TOKEN);
    hidden.put("edge token", StateClient.EDGE_TOKEN);
    var logged = new ArrayList<>(log.list).toString();
    var dump = dump();
    assertTrue(dump.contains("acme"), "the dump is one");
    assertTrue(logged.contains("HikariPool") || logged.contains("hikari"), "the log is one");
    hidden.forEach(
        (what, secret) -> {
          assertFalse(dump.contains(secret), what + " in the database");
          assertFalse(logged.contains(secret), what + " in the log");
          assertFalse(refusals.toString().contains(secret), () -> what + " in " + refusals);
        });
    assertFalse(logged.contains(CELL_SECRET), "the cell's secret is kept, and never logged");
    assertFalse(refusals.toString().contains(CELL_SECRET));
  }

  private void refuse(StateClient.Answer answer) {
    assertTrue(answer.status() >= 400, answer::toString);
    refusals.add(answer.toString());
  }

  private StateClient.Answer front(String method, String path, ObjectNode body) {
    return state.edge(method, "/api/edge/front" + path, body);
  }

  private static ObjectNode login(String password) {
    return Json.object().put("email", "a@acme.test").put("password", password);
  }

  private static JsonNode list(String text) {
    return Json.mapper().createArrayNode().add(text);
  }

  /** Every row of every table as text. */
  private String dump() throws Exception {
    var rows = new StringBuilder();
    try (var connection = DATABASE.connect();
        var statement = connection.createStatement();
        var tables =
            connection.getMetaData().getTables(null, "queen_proxy", "%", new String[] {"TABLE"})) {
      while (tables.next()) {
        var table = tables.getString("TABLE_NAME");
        try (var result =
            statement.executeQuery("SELECT t::text FROM queen_proxy.%s t".formatted(table))) {
          while (result.next()) {
            rows.append(table).append(' ').append(result.getString(1)).append('\n');
          }
        }
      }
    }
    return rows.toString();
  }
}
