package dev.queencell.broker.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.queencell.broker.engine.CellEngine;
import dev.queencell.broker.engine.PopRequest;
import dev.queencell.service.Json;
import dev.queencell.testsupport.TestDatabase;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Answers of the real broker against the schemas that its own document gives for them. */
@Timeout(120)
class OpenApiAnswersIT {
  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();

  private static CellEngine engine;
  private static ApiFixture api;
  private static OpenApi openApi;

  private final List<String> problems = new ArrayList<>();
  private WireClient client;
  private WireNeighbour neighbour;

  @BeforeAll
  static void open() {
    engine = ApiFixture.engineOn(DATABASE);
    api = new ApiFixture(engine, true);
    openApi = new OpenApi(api);
  }

  @AfterAll
  static void close() {
    engine.close();
    api.close();
  }

  @Test
  void answersAreAsTheyAreDocumented() {
    client = new WireClient(api, UUID.randomUUID());
    neighbour = WireNeighbour.beside(api, "n.t.q", "p", PopRequest.QUEUE_MODE);
    client.configure("n.t.q", "{\"leaseTime\":60}");
    var got = work();
    var address = got.partitionId() + "/" + got.transactionId();
    for (var path :
        List.of(
            "resources/queues",
            "resources/overview",
            "resources/namespaces",
            "resources/tasks",
            "consumer-groups",
            "consumer-groups/lagging?minLagSeconds=0",
            "dlq",
            "messages",
            "traces/names",
            "status",
            "status/queues",
            "status/analytics",
            "status/buffers",
            "analytics/queue-lag",
            "analytics/queue-ops",
            "analytics/queue-parked-replicas",
            "analytics/retention?groupBy=queue",
            "analytics/workload",
            "analytics/dlq-signatures?queue=n.t.q",
            "analytics/partition-liveness",
            "analytics/system-metrics",
            "analytics/worker-metrics",
            "analytics/postgres-stats",
            "system/maintenance",
            "system/maintenance/pop",
            "system/shared-state")) {
      var full = "/api/v1/" + path;
      get(full.contains("?") ? full.substring(0, full.indexOf('?')) : full, full);
    }
    get("/api/v1/resources/queues/{queue}", "/api/v1/resources/queues/n.t.q");
    get("/api/v1/resources/queues/{queue}", "/api/v1/resources/queues/none");
    get("/api/v1/resources/queues/{queue}/depth", "/api/v1/resources/queues/n.t.q/depth");
    get("/api/v1/consumer-groups/{group}", "/api/v1/consumer-groups/__QUEUE_MODE__");
    get("/api/v1/status/queues/{queue}", "/api/v1/status/queues/n.t.q");
    get("/api/v1/messages/{partitionId}/{transactionId}", "/api/v1/messages/" + address);
    get("/api/v1/messages/{partitionId}/{transactionId}", "/api/v1/messages/none/none");
    get("/api/v1/traces/by-name/{traceName}", "/api/v1/traces/by-name/order");
    get("/api/v1/traces/{partitionId}/{transactionId}", "/api/v1/traces/" + address);
    get("/api/v1/messages", "/api/v1/messages?limit=few");
    for (var path : List.of("/health", "/status", "/metrics")) {
      get(path, path);
    }
    refresh();
    delete("/api/v1/dlq", "/api/v1/dlq?queue=n.t.q");
    delete("/api/v1/resources/queues/{queue}", "/api/v1/resources/queues/n.t.q");
    assertEquals("", String.join("\n", problems));
    neighbour.check(api);
  }

  /** Does a bit of everything; returns a message that became a dead letter. */
  private WireClient.Message work() {
    var push = Json.object();
    var item = push.putArray("items").addObject();
    item.put("queue", "n.t.q").put("partition", "p").put("transactionId", "t1").put("payload", 1);
    post("/api/v1/push", push.toString());
    post("/api/v1/push", push.toString());
    client.push("n.t.q", "p", "t2", "t3");
    var path = "/api/v1/pop/queue/n.t.q?batch=2";
    var answer = client.get(path);
    check("get", "/api/v1/pop/queue/{queue}", answer);
    var got = new ArrayList<WireClient.Message>();
    answer.json().get("messages").forEach(json -> got.add(new WireClient.Message(json)));
    var first = got.getFirst();
    post(
        "/api/v1/ack",
        Json.object()
            .put("transactionId", first.transactionId())
            .put("partitionId", first.partitionId())
            .put("leaseId", first.leaseId())
            .put("status", "dlq")
            .toString());
    post(
        "/api/v1/ack/batch",
        "{\"acknowledgments\":[{\"transactionId\":\"t2\",\"partitionId\":\"%s\"}]}"
            .formatted(first.partitionId()));
    post(
        "/api/v1/traces",
        "{\"transactionId\":\"t1\",\"partitionId\":\"%s\",\"data\":{},\"traceNames\":\"order\"}"
            .formatted(first.partitionId()));
    post("/api/v1/traces", "{}");
    post(
        "/api/v1/transaction",
        "{\"operations\":[{\"type\":\"push\",\"items\":[{\"queue\":\"n.t.q\",\"payload\":1}]}]}");
    post("/api/v1/configure", "{\"queue\":\"n.t.q\",\"options\":{\"retryLimit\":5}}");
    check(
        "post",
        "/api/v1/consumer-groups/{group}/queues/{queue}/seek",
        client.post(
            "/api/v1/consumer-groups/__QUEUE_MODE__/queues/n.t.q/seek",
            Json.object().put("toEnd", true)));
    check(
        "post",
        "/api/v1/lease/{leaseId}/extend",
        client.post("/api/v1/lease/none/extend", Json.object()));
    return first;
  }

  private void get(String route, String path) {
    check("get", route, client.get(path));
  }

  private void post(String path, String body) {
    check("post", path, api.postAs(client.tenant(), path, body));
  }

  private void refresh() {
    check("post", "/api/v1/stats/refresh", api.post("/api/v1/stats/refresh", ""));
  }

  private void delete(String route, String path) {
    check(
        "delete",
        route,
        api.send(
            api.request(path)
                .header("x-queen-tenant", client.tenant().toString())
                .method("DELETE", BodyPublishers.noBody())));
  }

  private void check(String method, String route, ApiFixture.Answer answer) {
    openApi
        .problems(method, route, answer)
        .forEach(problem -> problems.add(method + " " + route + " " + problem));
  }
}
