package dev.queencell.state;

import dev.queencell.service.Json;
import dev.queencell.service.Settings;
import dev.queencell.testsupport.TestDatabase;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A service in this process on a fresh database, with one cell, and short ways to speak to it. */
final class RunningState implements AutoCloseable {
  private final TestDatabase database;
  private final Map<String, String> environment;
  private StateMain service;
  private StateClient client;

  private RunningState(TestDatabase database, Map<String, String> environment) {
    this.database = database;
    this.environment = environment;
  }

  /**
   * Starts on an emptied database.
   *
   * @param more settings beside the necessary ones
   */
  static RunningState start(TestDatabase database, Map<String, String> more) throws Exception {
    database.reset();
    var environment = new HashMap<String, String>(more);
    environment.put("QUEENCELL_STATE_PORT", "0");
    environment.put("QUEENCELL_ADMIN_TOKEN", StateClient.ADMIN_TOKEN);
    environment.put("QUEENCELL_EDGE_TOKEN", StateClient.EDGE_TOKEN);
    environment.put("PXDB_HOST", database.host());
    environment.put("PXDB_PORT", Integer.toString(database.port()));
    environment.put("PXDB_USER", database.user());
    environment.put("PXDB_PASSWORD", database.password());
    environment.put("PXDB_DB", database.database());
    var running = new RunningState(database, environment);
    running.open();
    running
        .client()
        .post("/api/cp/cells", "{\"slug\": \"bench\", \"base_url\": \"http://127.0.0.1:6632\"}");
    return running;
  }

  StateClient client() {
    return client;
  }

  int port() {
    return service.port();
  }

  /** Ends the service and starts it anew on the same database. */
  void restart() {
    close();
    open();
  }

  @Override
  public void close() {
    client.close();
    service.close();
  }

  /** Makes a tenant with one cluster of the same slug; answers the cluster's id. */
  String tenant(String slug) {
    return client
        .post("/api/cp/bootstrap", "{\"tenant_slug\": \"%s\"}".formatted(slug))
        .text("cluster_id");
  }

  void override(String clusterId, String overrides) {
    var answer = client.put("/api/cp/clusters/" + clusterId + "/overrides", overrides);
    if (answer.status() != 200) {
      throw new AssertionError(answer.toString());
    }
  }

  StateClient.Answer edge(String method, String path, ObjectNode body) {
    return client.call(
        method,
        path,
        body == null ? null : body.toString(),
        "x-queen-edge-token",
        StateClient.EDGE_TOKEN);
  }

  /** Sends a batch of one row per entry. */
  StateClient.Answer usage(UUID batchId, List<ObjectNode> rows) {
    var body = Json.object().put("batch_id", batchId.toString());
    body.putArray("rows").addAll(rows);
    return edge("POST", "/api/edge/usage", body);
  }

  static ObjectNode row(String clusterId, String minute, String opClass, long msgs) {
    return Json.object()
        .put("cluster_id", clusterId)
        .put("minute", minute)
        .put("op_class", opClass)
        .put("reqs", 1)
        .put("msgs", msgs)
        .put("bytes_in", 10 * msgs)
        .put("bytes_out", 5);
  }

  JsonNode view(String clusterId) {
    return client.edge("/api/edge/clusters/by-id/" + clusterId).body();
  }

  JsonNode feedStart() {
    return client.edge("/api/edge/changes").body();
  }

  List<String> changesAfter(JsonNode page) {
    var list = new ArrayList<String>();
    client
        .edge(
            "/api/edge/changes?epoch=%s&after=%d&waitMs=0"
                .formatted(page.get("epoch").stringValue(), page.get("next").longValue()))
        .body()
        .get("changes")
        .forEach(change -> list.add(change.get("kind").stringValue()));
    return list;
  }

  long count(String sql) throws SQLException {
    try (var connection = database.connect();
        var statement = connection.createStatement();
        var result = statement.executeQuery(sql)) {
      result.next();
      return result.getLong(1);
    }
  }

  String text(String sql) throws SQLException {
    try (var connection = database.connect();
        var statement = connection.createStatement();
        var result = statement.executeQuery(sql)) {
      return result.next() ? result.getString(1) : null;
    }
  }

  void execute(String sql) throws SQLException {
    try (var connection = database.connect();
        var statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private void open() {
    service = StateMain.start(StateConfig.read(new Settings(environment)));
    client = new StateClient(service.port());
  }
}
