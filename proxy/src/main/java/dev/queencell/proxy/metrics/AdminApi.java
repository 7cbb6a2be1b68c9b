package dev.queencell.proxy.metrics;

import dev.queencell.service.BuildIdentity;
import dev.queencell.service.HttpServer;
import dev.queencell.service.Json;
import io.javalin.http.Context;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** The proxy's own numbers, on a loopback port that tenants can't reach. */
public final class AdminApi {
  private static final String LOOPBACK = "127.0.0.1";
  private static final long STOP_TIMEOUT_MS = 1_000;
  private static final String PROMETHEUS_TEXT = "text/plain; version=0.0.4; charset=utf-8";

  private AdminApi() {}

  /**
   * Starts listening.
   *
   * @throws IllegalStateException when the address can't be bound
   */
  public static HttpServer start(int port, EdgeMetrics metrics, BuildIdentity identity) {
    return HttpServer.start(
        LOOPBACK,
        port,
        STOP_TIMEOUT_MS,
        routes -> {
          routes.get("/metrics/prometheus", ctx -> scrape(ctx, metrics));
          routes.get("/healthz", ctx -> health(ctx, identity));
        });
  }

  private static void scrape(Context ctx, EdgeMetrics metrics) throws IOException {
    var text = metrics.scrape().getBytes(StandardCharsets.UTF_8);
    var response = ctx.res();
    response.setContentType(PROMETHEUS_TEXT);
    response.setContentLength(text.length);
    response.getOutputStream().write(text);
  }

  private static void health(Context ctx, BuildIdentity identity) throws IOException {
    HttpServer.json(
        ctx,
        200,
        Json.bytes(
            Json.object()
                .put("status", "ok")
                .put("version", identity.version())
                .put("commit", identity.commit())));
  }
}
