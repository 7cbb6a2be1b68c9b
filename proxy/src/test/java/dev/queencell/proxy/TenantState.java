package dev.queencell.proxy;

import dev.queencell.service.Json;
import dev.queencell.testsupport.JavaProcess;
import dev.queencell.testsupport.TestDatabase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.atomic.AtomicInteger;
import tools.jackson.databind.node.ObjectNode;

/** The real tenant-state service in a process of its own, and its operator. */
final class TenantState implements AutoCloseable {
  static final String ADMIN_TOKEN = "admin-token-of-the-test";
  static final String EDGE_TOKEN = "edge-token-of-the-test";
  static final String CELL_SECRET = "cell-secret-of-the-test";

  /** A tenant with one cluster, whose slug is also its host label. */
  record Tenant(String slug, String clusterId, String brokerTenantUuid, String keyId, String key) {
    String host() {
      return slug + ".queen.test:6711";
    }
  }

  private static final AtomicInteger TENANTS = new AtomicInteger();

  private final JavaProcess process;
  private final URI url;
  private final HttpClient http = HttpClient.newHttpClient();

  private TenantState(JavaProcess process) {
    this.process = process;
    this.url = process.awaitReady();
  }

  /** Starts it on a free port. */
  static TenantState start(TestDatabase database) {
    return start(database, 0);
  }

  static TenantState start(TestDatabase database, int port) {
    return new TenantState(
        JavaProcess.ofClass("dev.queencell.state.StateMain")
            .env("QUEENCELL_STATE_PORT", Integer.toString(port))
            .env("QUEENCELL_ADMIN_TOKEN", ADMIN_TOKEN)
            .env("QUEENCELL_EDGE_TOKEN", EDGE_TOKEN)
            .env("QUEEN_PROXY_JWT_SECRET", "a secret of the test that is long enough for HS256")
            .env("PXDB_HOST", database.host())
            .env("PXDB_PORT", Integer.toString(database.port()))
            .env("PXDB_USER", database.user())
            .env("PXDB_PASSWORD", database.password())
            .env("PXDB_DB", database.database())
            .start());
  }

  URI url() {
    return url;
  }

  JavaProcess process() {
    return process;
  }

  /** The cell that all tenants live on. */
  void useBroker(int port) {
    call(
        "POST",
        "/api/cp/cells",
        """
        {"slug": "test", "base_url": "http://127.0.0.1:%d", "cell_secret": "%s"}"""
            .formatted(port, CELL_SECRET));
  }

  /** A new tenant on a plan. */
  Tenant tenant(String plan) {
    var slug = "t" + TENANTS.incrementAndGet();
    var made =
        call(
            "POST",
            "/api/cp/bootstrap",
            "{\"tenant_slug\": \"%s\", \"plan\": \"%s\"}".formatted(slug, plan));
    return new Tenant(
        slug,
        made.get("cluster_id").stringValue(),
        made.get("broker_tenant_uuid").stringValue(),
        made.get("key_id").stringValue(),
        made.get("api_key").stringValue());
  }

  /** A person who may sign in; the first one of a tenant is its cluster's admin. */
  void person(Tenant tenant, String email, String password) {
    var body = Json.object().put("tenant_slug", tenant.slug());
    body.put("plan", "bench").put("admin_email", email).put("password", password);
    call("POST", "/api/cp/bootstrap", body.toString());
  }

  /** One more key of a tenant. */
  String key(Tenant tenant, String... scopes) {
    var body = Json.object().put("cluster_id", tenant.clusterId()).put("name", "k");
    var list = body.putArray("scopes");
    for (var scope : scopes) {
      list.add(scope);
    }
    return call("POST", "/api/cp/keys", body.toString()).get("api_key").stringValue();
  }

  void revoke(Tenant tenant) {
    call("DELETE", "/api/cp/keys/" + tenant.keyId(), null);
  }

  void tenantStatus(Tenant tenant, String status) {
    call(
        "PUT",
        "/api/cp/tenants/" + tenant.slug() + "/status",
        "{\"status\": \"%s\"}".formatted(status));
  }

  void clusterStatus(Tenant tenant, String status) {
    call(
        "PUT",
        "/api/cp/clusters/" + tenant.clusterId() + "/status",
        "{\"status\": \"%s\"}".formatted(status));
  }

  void overrides(Tenant tenant, String json) {
    call("PUT", "/api/cp/clusters/" + tenant.clusterId() + "/overrides", json);
  }

  /** Switches enforcement for all proxies; null leaves it to them. */
  void enforce(Boolean enforce) {
    call("PUT", "/api/cp/settings", Json.object().put("enforce", enforce).toString());
  }

  void plan(Tenant tenant, String plan) {
    call(
        "PUT",
        "/api/cp/clusters/" + tenant.clusterId() + "/plan",
        "{\"plan\": \"%s\"}".formatted(plan));
  }

  @Override
  public void close() {
    process.close();
    http.close();
  }

  private ObjectNode call(String method, String path, String body) {
    var request =
        HttpRequest.newBuilder(url.resolve(path))
            .header("x-queen-cp-token", ADMIN_TOKEN)
            .method(
                method,
                body == null
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(body))
            .build();
    try {
      var response = http.send(request, HttpResponse.BodyHandlers.ofByteArray());
      var answer = Json.readObject(response.body());
      if (response.statusCode() >= 300) {
        throw new AssertionError(method + " " + path + " answered " + answer);
      }
      return answer;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
