package dev.queencell.broker.http;

import dev.queencell.broker.engine.CellEngine;
import dev.queencell.broker.engine.Engine;
import dev.queencell.broker.engine.EngineConfig;
import dev.queencell.service.BuildIdentity;
import dev.queencell.service.ClientProbes;
import dev.queencell.service.HttpServer;
import dev.queencell.service.Json;
import dev.queencell.service.OwnJar;
import dev.queencell.testsupport.Await;
import dev.queencell.testsupport.TestDatabase;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.UUID;
import tools.jackson.databind.JsonNode;

/** An API on an engine, and a client that speaks to it in few words. */
final class ApiFixture implements AutoCloseable {
  static final BuildIdentity BUILD =
      new BuildIdentity("1.2.3", "abc", OwnJar.NONE, "25", List.of());
  static final String OWN_URL = "http://own:1";

  private final BrokerApi api;
  private final GatesFixture gates;
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  ApiFixture(Engine engine, boolean tenancy) {
    this(engine, tenancy, 1 << 20, 64L << 20, null);
  }

  ApiFixture(
      Engine engine, boolean tenancy, int bodyBytesMax, long budgetBytes, String corsOrigin) {
    this(
        engine,
        new GatesFixture(engine),
        tenancy,
        bodyBytesMax,
        budgetBytes,
        corsOrigin,
        ClientProbes.DEFAULT);
  }

  ApiFixture(Engine engine, ClientProbes probes) {
    this(engine, new GatesFixture(engine), true, 1 << 20, 64L << 20, null, probes);
  }

  /** With gates of its own, which it closes. */
  ApiFixture(Engine engine, GatesFixture gates) {
    this(engine, gates, true, 64 << 20, 256L << 20, null, ClientProbes.DEFAULT);
  }

  /** Where autopilot is in a mode. */
  ApiFixture(Engine engine, ApiConfig.Autopilot.Mode mode) {
    this(
        engine,
        new GatesFixture(engine),
        true,
        1 << 20,
        64L << 20,
        null,
        ClientProbes.DEFAULT,
        mode);
  }

  private ApiFixture(
      Engine engine,
      GatesFixture gates,
      boolean tenancy,
      int bodyBytesMax,
      long budgetBytes,
      String corsOrigin,
      ClientProbes probes) {
    this(
        engine,
        gates,
        tenancy,
        bodyBytesMax,
        budgetBytes,
        corsOrigin,
        probes,
        ApiConfig.Autopilot.DEFAULT.mode());
  }

  private ApiFixture(
      Engine engine,
      GatesFixture gates,
      boolean tenancy,
      int bodyBytesMax,
      long budgetBytes,
      String corsOrigin,
      ClientProbes probes,
      ApiConfig.Autopilot.Mode mode) {
    this.gates = gates;
    api =
        BrokerApi.start(
            new ApiConfig(
                "127.0.0.1",
                0,
                tenancy,
                bodyBytesMax,
                budgetBytes,
                30_000,
                true,
                corsOrigin,
                OWN_URL,
                new ApiConfig.Autopilot(mode, ApiConfig.Autopilot.DEFAULT.batch()),
                probes,
                1000),
            engine,
            gates.gates,
            BUILD);
  }

  /** The real engine, once it owns the database. */
  static CellEngine engineOn(TestDatabase database) {
    var engine =
        CellEngine.open(
            new EngineConfig(
                database.jdbcUrl(),
                database.user(),
                database.password(),
                OWN_URL,
                2,
                8 << 20,
                8 << 20));
    Await.until("the engine owns its database", () -> engine.role() == Engine.Role.OWNER);
    return engine;
  }

  /** What came back. */
  record Answer(int status, String body, HttpResponse<String> response) {
    JsonNode json() {
      return Json.mapper().readTree(body);
    }

    String header(String name) {
      return response.headers().firstValue(name).orElse(null);
    }
  }

  List<HttpServer.Route> routes() {
    return api.routes();
  }

  int port() {
    return api.port();
  }

  Answer get(String path) {
    return send(request(path).GET());
  }

  Answer post(String path, String body) {
    return send(request(path).POST(BodyPublishers.ofString(body)));
  }

  Answer delete(String path) {
    return send(request(path).DELETE());
  }

  Answer getAs(UUID tenant, String path) {
    return send(request(path).header("x-queen-tenant", tenant.toString()).GET());
  }

  Answer postAs(UUID tenant, String path, String body) {
    return send(
        request(path)
            .header("x-queen-tenant", tenant.toString())
            .POST(BodyPublishers.ofString(body)));
  }

  HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path));
  }

  Answer send(HttpRequest.Builder request) {
    try {
      var response = client.send(request.build(), BodyHandlers.ofString());
      return new Answer(response.statusCode(), response.body(), response);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    client.close();
    api.close();
    gates.close();
  }
}
