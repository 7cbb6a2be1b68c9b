package dev.queencell.loader.record;

import dev.queencell.client.Caller;
import dev.queencell.client.QueenException;
import dev.queencell.client.QueenTransport;
import dev.queencell.service.BuildIdentity;
import dev.queencell.service.Json;
import java.net.URI;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The identity of every build in the path. A server that doesn't answer, or says nothing of its
 * build, is null in the record: a run never fails for it.
 */
public final class Builds {
  private static final QueenTransport.Options QUICK = new QueenTransport.Options(1, 1_000, 2_000);

  private Builds() {}

  /**
   * Asks the servers.
   *
   * @param brokerUrl null when it isn't known
   * @param proxyUrl where the proxy answers about itself; null when it isn't in the path
   */
  public static ObjectNode read(String brokerUrl, String proxyUrl) {
    var builds = Json.object();
    builds.set("loader", Json.mapper().valueToTree(BuildIdentity.read()));
    var broker = document(brokerUrl, "/metrics");
    builds.set("broker", identity(broker));
    builds.set("postgres", postgres(broker));
    var proxy = document(proxyUrl, "/healthz");
    builds.set("proxy", identity(proxy));
    return builds;
  }

  /** A server says it under {@code build} or, where it says little else, at the top. */
  private static JsonNode identity(JsonNode document) {
    if (document == null || document.has("build")) {
      return document == null ? null : document.get("build");
    }
    return document.has("commit") ? document : null;
  }

  private static JsonNode postgres(JsonNode broker) {
    if (broker == null) {
      return null;
    }
    var database = broker.path("database");
    if (!database.has("version")) {
      return null;
    }
    var postgres = Json.object();
    postgres.set("version", database.get("version"));
    postgres.set("settings", database.get("settings"));
    return postgres;
  }

  private static JsonNode document(String url, String path) {
    if (url == null) {
      return null;
    }
    try (var transport = new QueenTransport(URI.create(url), QUICK)) {
      return Json.mapper().readTree(transport.client(Caller.ANONYMOUS).get(path));
    } catch (QueenException | JacksonException | IllegalArgumentException e) {
      return null;
    }
  }
}
