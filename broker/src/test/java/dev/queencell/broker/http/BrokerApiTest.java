package dev.queencell.broker.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.broker.engine.AckItem;
import dev.queencell.broker.engine.Engine.Role;
import dev.queencell.broker.engine.PopRequest;
import java.io.ByteArrayInputStream;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class BrokerApiTest {
  private static final String PUSH = "/api/v1/push";
  private static final UUID ALICE = UUID.fromString("aaaaaaaa-0000-4000-8000-000000000001");

  private final FixtureEngine engine = new FixtureEngine();
  private final ApiFixture api = new ApiFixture(engine, false);

  @AfterEach
  void close() {
    api.close();
  }

  @Test
  void aPushIsAnsweredInOrderUnderBothSpellings() {
    var answer =
        api.post(
            PUSH,
            "{\"items\":[{\"queue\":\"a\\\"\",\"payload\":1,\"transactionId\":\"t\\n1\"},{\"queue\":\"b\",\"payload\":2}]}");
    assertEquals(201, answer.status());
    assertEquals("application/json", answer.header("Content-Type"));
    var first = answer.json().get(0);
    assertEquals(0, first.get("index").intValue());
    assertEquals("t\n1", first.get("transaction_id").stringValue());
    assertEquals(first.get("transaction_id"), first.get("transactionId"));
    assertEquals(first.get("message_id"), first.get("messageId"));
    assertEquals("a\"", first.get("queueName").stringValue());
    assertEquals("queued", first.get("status").stringValue());
    var second = answer.json().get(1);
    assertEquals(1, second.get("index").intValue());
    assertEquals(second.get("message_id"), second.get("transaction_id"));
    assertEquals("b", second.get("queueName").stringValue());
    assertEquals("[]", api.post(PUSH, "{\"items\":[]}").body());
  }

  @Test
  void aBadPushReachesNobody() {
    var answer =
        api.post(
            PUSH, "{\"items\":[{\"queue\":\"q\",\"payload\":1},{\"queue\":\"q\",\"data\":1}]}");
    assertEquals(400, answer.status());
    assertEquals("{\"error\":\"bad body: items[1].payload is missing\"}", answer.body());
    assertTrue(engine.asked.isEmpty());
  }

  @Test
  void whatWasPushedIsPopped() {
    api.post(
        PUSH, "{\"items\":[{\"queue\":\"q/1 %é\",\"partition\":\"p\",\"payload\":{\"n\": 1.50}}]}");
    var answer = api.get("/api/v1/pop/queue/q%2F1%20%25%C3%A9?consumerGroup=g+1");
    assertEquals(200, answer.status());
    assertEquals("q/1 %é", answer.json().get("queue").stringValue());
    assertEquals("g 1", answer.json().get("consumerGroup").stringValue());
    assertTrue(answer.body().contains("\"data\":{\"n\": 1.50},"), answer.body());
    assertTrue(answer.body().contains("\"createdAt\":\"2026-01-02T03:04:05.123456Z\""));
    assertEquals(
        Integer.toString(answer.body().getBytes(UTF_8).length), answer.header("Content-Length"));
  }

  @Test
  void anEmptyPopHasNeitherBodyNorLength() {
    var answer = api.get("/api/v1/pop/queue/q");
    assertEquals(204, answer.status());
    assertEquals("", answer.body());
    assertNull(answer.header("Content-Length"));
    assertNull(answer.header("Transfer-Encoding"));
  }

  @Test
  void popParametersHaveTheDefaultsOfTheContract() throws Exception {
    var plain = popped("/api/v1/pop/queue/q");
    assertEquals(
        new PopRequest(
            Tenancy.DEFAULT_TENANT,
            "q",
            null,
            null,
            null,
            "__QUEUE_MODE__",
            200,
            1,
            false,
            0,
            0,
            false,
            null,
            PopRequest.Width.DEFAULT,
            false),
        plain);
    var full =
        popped(
            "/api/v1/pop/queue/q/partition/p%2F1?batch=7&partitions=0&autoAck=true&leaseSeconds=9&consumerGroup=g"
                + "&subscriptionMode=all&subscriptionFrom=2026-01-02T03:04:05Z&namespace=n&unknown=%F0%9F%98%80");
    assertEquals(
        new PopRequest(
            Tenancy.DEFAULT_TENANT,
            "q",
            "p/1",
            null,
            null,
            "g",
            7,
            0,
            true,
            0,
            9,
            false,
            Instant.parse("2026-01-02T03:04:05Z")),
        full);
    var discovery = popped("/api/v1/pop?namespace=n&task=t&consumerGroup=g&batch=99999999999");
    assertEquals(
        new PopRequest(
            Tenancy.DEFAULT_TENANT,
            null,
            null,
            "n",
            "t",
            "g",
            10_000,
            1,
            false,
            0,
            0,
            true,
            null,
            PopRequest.Width.DEFAULT,
            false),
        discovery);
    assertTrue(
        popped("/api/v1/pop/queue/q?consumerGroup=g&subscriptionMode=all&subscriptionFrom=now")
            .fromNew());
    assertFalse(popped("/api/v1/pop/queue/q?subscriptionMode=new").fromNew());
    assertNull(popped("/api/v1/pop/queue/q?consumerGroup=g&subscriptionFrom=yesterday").from());
    assertEquals(1, popped("/api/v1/pop/queue/q?batch=-5").batch());
    assertEquals(200, popped("/api/v1/pop/queue/q?batch=&wait=").batch());
  }

  @Test
  void popParametersThatCanNotBeReadAreRefused() {
    for (var query :
        List.of(
            "batch=abc",
            "batch=1.5",
            "partitions=x",
            "wait=maybe",
            "autoAck=TRUE",
            "timeout=1s",
            "leaseSeconds=--",
            "consumerGroup=%ff",
            "consumerGroup=%00",
            "consumerGroup=" + "x".repeat(256),
            "conflation=true",
            "conflation=true&consumerGroup=g&autoAck=true")) {
      assertEquals(400, api.get("/api/v1/pop/queue/q?" + query).status(), query);
    }
    assertEquals(400, api.get("/api/v1/pop/queue/" + "x".repeat(256)).status());
    assertEquals(400, api.get("/api/v1/pop/queue/q/partition/a%00b").status());
    var discovery = api.get("/api/v1/pop?consumerGroup=g");
    assertEquals(400, discovery.status());
    assertEquals(
        "{\"success\":false,\"error\":\"namespace or task is required\",\"messages\":[]}",
        discovery.body());
    assertTrue(engine.asked.isEmpty());
  }

  @Test
  void acknowledgementsAreAnsweredAsArrays() throws Exception {
    var single = api.post("/api/v1/ack", "{\"transactionId\":\"t\\\"\",\"partitionId\":\"p\"}");
    assertEquals(200, single.status());
    assertEquals(
        "[{\"index\":0,\"transactionId\":\"t\\\"\",\"success\":true,\"error\":null,\"leaseReleased\":false,"
            + "\"dlq\":false,\"noop\":true}]",
        single.body());
    assertEquals("ack __QUEUE_MODE__", engine.asked.take().what());
    var batch =
        api.post(
            "/api/v1/ack/batch",
            "{\"consumerGroup\":\"g\",\"acknowledgments\":[{\"transactionId\":\"a\"},{\"transactionId\":\"b\",\"status\":\"nope\"}]}");
    assertEquals(2, batch.json().size());
    assertEquals("b", batch.json().get(1).get("transactionId").stringValue());
    var asked = engine.asked.take();
    assertEquals("ack g", asked.what());
    assertEquals(
        List.of("COMPLETED", "FAILED"),
        ((List<?>) asked.details()).stream().map(i -> ((AckItem) i).status().name()).toList());
    assertEquals(400, api.post("/api/v1/ack", "").status());
  }

  @Test
  void aLeaseExtensionNeverRefusesItsBody() throws Exception {
    var path = "/api/v1/lease/" + FixtureEngine.LEASE + "/extend";
    var answer = api.post(path, "{\"seconds\":90}");
    assertEquals(200, answer.status());
    assertEquals(true, answer.json().get("success").booleanValue());
    assertEquals(2, answer.json().get("renewed").intValue());
    for (var key : List.of("newExpiresAt", "expiresAt", "lease_expires_at")) {
      assertEquals("2026-01-02T03:04:05.123456Z", answer.json().get(key).stringValue());
    }
    assertEquals(90, engine.asked.take().details());
    for (var body :
        List.of("", "{}", "nonsense", "[]", "{\"seconds\":\"x\"}", "{\"seconds\":null}")) {
      assertEquals(200, api.post(path, body).status());
      assertEquals(60, engine.asked.take().details(), body);
    }
    api.post(path, "{\"seconds\":-3}");
    assertEquals(1, engine.asked.take().details());
    api.post(path, "{\"seconds\":99999999999999999999999}");
    assertEquals(86_400, engine.asked.take().details());
    var unknown = api.post("/api/v1/lease/nope/extend", "");
    assertEquals(
        "{\"leaseId\":\"nope\",\"success\":false,\"renewed\":0,\"newExpiresAt\":null,\"expiresAt\":null,"
            + "\"lease_expires_at\":null}",
        unknown.body());
  }

  @Test
  void unknownPathsAreNotFound() {
    for (var path : List.of("/api/v1/nope", "/auth/nope", "/api/v1/push")) {
      var answer = api.get(path);
      assertEquals(404, answer.status());
      assertEquals("{\"error\":\"Not Found\",\"code\":\"no_such_route\"}", answer.body());
    }
    assertEquals("{\"error\":\"Not Found\",\"code\":\"no_such_route\"}", api.post("/x", "").body());
    assertEquals(404, api.get("/").status());
    assertEquals("{\"error\":\"Not Found\"}", api.get("/index.html").body());
  }

  @Test
  void aStandbySendsRequestsToTheOwner() {
    engine.role = Role.STANDBY;
    engine.ownerUrl = "http://owner:6632";
    var answer = api.post(PUSH, "{\"items\":[{\"queue\":\"q\",\"payload\":1}]}");
    assertEquals(307, answer.status());
    assertEquals("http://owner:6632/api/v1/push", answer.header("Location"));
    var pop = api.get("/api/v1/pop/queue/a%2Fb?batch=1&wait=true");
    assertEquals(
        "http://owner:6632/api/v1/pop/queue/a%2Fb?batch=1&wait=true", pop.header("Location"));
  }

  @Test
  void aBrokerThatCanNotDecideAsksForPatience() {
    engine.role = Role.STANDBY;
    for (var owner : new String[] {null, ApiFixture.OWN_URL}) {
      engine.ownerUrl = owner;
      var standby = api.post(PUSH, "{\"items\":[]}");
      assertEquals(503, standby.status());
      assertEquals("1", standby.header("Retry-After"));
      assertEquals("standby", standby.json().get("code").stringValue());
    }
    engine.ownerUrl = null;
    engine.role = Role.LOADING;
    var loading = api.get("/api/v1/resources/queues");
    assertEquals(503, loading.status());
    assertEquals("1", loading.header("Retry-After"));
    assertEquals("loading", loading.json().get("code").stringValue());
  }

  @Test
  void bodiesBeyondTheCapAreRefusedAnnouncedOrNot() {
    var large = "{\"items\":[],\"x\":\"" + "y".repeat(1 << 20) + "\"}";
    assertEquals(413, api.post(PUSH, large).status());
    var chunked =
        BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(large.getBytes(UTF_8)));
    assertEquals(413, api.send(api.request(PUSH).POST(chunked)).status());
    var small =
        BodyPublishers.ofInputStream(
            () -> new ByteArrayInputStream("{\"items\":[]}".getBytes(UTF_8)));
    assertEquals(201, api.send(api.request(PUSH).POST(small)).status());
  }

  @Test
  void withoutTenancyTheHeaderIsNotRead() throws Exception {
    api.send(api.request("/api/v1/pop/queue/q").header("x-queen-tenant", "rubbish").GET());
    assertEquals(Tenancy.DEFAULT_TENANT, engine.asked.take().tenant());
  }

  @Test
  void withTenancyTheHeaderNamesTheTenant() throws Exception {
    try (var own = new ApiFixture(engine, true)) {
      own.send(
          own.request("/api/v1/pop/queue/q")
              .header("x-queen-tenant", ALICE.toString().toUpperCase(java.util.Locale.ROOT))
              .GET());
      assertEquals(ALICE, engine.asked.take().tenant());
      own.get("/api/v1/pop/queue/q");
      assertEquals(Tenancy.DEFAULT_TENANT, engine.asked.take().tenant());
      own.send(own.request("/api/v1/pop/queue/q").header("x-queen-tenant", "  ").GET());
      assertEquals(Tenancy.DEFAULT_TENANT, engine.asked.take().tenant());
      for (var bad :
          List.of(
              "x",
              "1-1-1-1-1",
              ALICE + "0",
              ALICE.toString().replace('-', '0'),
              "{" + ALICE + "}")) {
        var answer =
            own.send(own.request("/api/v1/pop/queue/q").header("x-queen-tenant", bad).GET());
        assertEquals(400, answer.status(), bad);
        assertEquals(
            "{\"error\":\"invalid x-queen-tenant header (must be a UUID)\"}", answer.body());
      }
      var twice =
          own.request(PUSH)
              .header("x-queen-tenant", ALICE.toString())
              .header("x-queen-tenant", UUID.randomUUID().toString())
              .POST(BodyPublishers.ofString("{\"items\":[]}"));
      assertEquals(400, own.send(twice).status());
      assertTrue(engine.asked.isEmpty());
    }
  }

  private PopRequest popped(String path) throws InterruptedException {
    api.get(path);
    return (PopRequest) engine.asked.take().details();
  }
}
