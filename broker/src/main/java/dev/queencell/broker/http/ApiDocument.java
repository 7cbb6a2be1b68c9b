package dev.queencell.broker.http;

import dev.queencell.service.HttpServer;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * What this API is, for programs ({@code /openapi.json}, OpenAPI 3.1) and for people ({@code
 * /docs}, a page that needs nothing from elsewhere). A test compares the document with what is
 * registered.
 */
final class ApiDocument {
  private final byte[] document = read("openapi.json");
  private final byte[] page = read("docs.html");

  void register(RoutesConfig routes) {
    routes.get("/openapi.json", ctx -> HttpServer.json(ctx, 200, document));
    routes.get("/docs", this::page);
  }

  private void page(Context ctx) throws IOException {
    var response = ctx.res();
    response.setContentType("text/html; charset=utf-8");
    // The page runs its own script and asks this broker only.
    response.setHeader(
        "Content-Security-Policy",
        "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline';"
            + " connect-src 'self'");
    response.setContentLength(page.length);
    response.getOutputStream().write(page);
  }

  private static byte[] read(String name) {
    try (var in = ApiDocument.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("no such resource: " + name);
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
