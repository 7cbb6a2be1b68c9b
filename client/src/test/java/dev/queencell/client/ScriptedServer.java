package dev.queencell.client;

import dev.queencell.service.HttpServer;
import io.javalin.http.Context;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** A real HTTP server that records every request and answers what a test's script says. */
final class ScriptedServer implements AutoCloseable {
  /** What arrived; header names in lower case. */
  record Seen(String method, String target, Map<String, String> headers, String body, int port) {
    String line() {
      return method + " " + target;
    }
  }

  /** What to answer; a null body sends none. */
  record Reply(int status, String body, Map<String, String> headers) {
    static Reply json(int status, String body) {
      return new Reply(status, body, Map.of());
    }
  }

  /** Decides the answer; runs on the request's own thread and may block. */
  interface Script {
    Reply answer(Seen request) throws InterruptedException;
  }

  private static final long STOP_TIMEOUT_MS = 100;

  private final List<Seen> seen = new CopyOnWriteArrayList<>();
  private final HttpServer server;

  ScriptedServer(Script script) {
    server =
        HttpServer.start(
            "127.0.0.1",
            0,
            STOP_TIMEOUT_MS,
            routes -> {
              routes.get("/*", ctx -> answer(script, ctx));
              routes.post("/*", ctx -> answer(script, ctx));
              routes.delete("/*", ctx -> answer(script, ctx));
            });
  }

  private void answer(Script script, Context ctx) throws Exception {
    var headers = new TreeMap<String, String>();
    ctx.headerMap()
        .forEach((name, value) -> headers.put(name.toLowerCase(java.util.Locale.ROOT), value));
    var query = ctx.queryString();
    var request =
        new Seen(
            ctx.method().name(),
            ctx.req().getRequestURI() + (query == null ? "" : "?" + query),
            headers,
            new String(HttpServer.body(ctx, 1 << 20), StandardCharsets.UTF_8),
            ctx.req().getRemotePort());
    seen.add(request);
    var reply = script.answer(request);
    reply.headers().forEach(ctx.res()::setHeader);
    if (reply.body() == null) {
      ctx.res().setStatus(reply.status());
    } else {
      HttpServer.json(ctx, reply.status(), reply.body().getBytes(StandardCharsets.UTF_8));
    }
  }

  URI url() {
    return URI.create("http://127.0.0.1:" + server.port());
  }

  List<Seen> seen() {
    return seen;
  }

  @Override
  public void close() {
    server.close();
  }
}
