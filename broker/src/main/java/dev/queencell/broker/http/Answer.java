package dev.queencell.broker.http;

import dev.queencell.service.HttpServer;
import dev.queencell.service.Json;
import io.javalin.http.Context;
import java.io.IOException;
import tools.jackson.databind.node.ObjectNode;

/** Sends answers, each in one write of known length. */
final class Answer {
  private Answer() {}

  static void send(Context ctx, int status, JsonOut json) throws IOException {
    var response = ctx.res();
    response.setStatus(status);
    response.setContentType("application/json");
    response.setContentLength(json.size());
    response.getOutputStream().write(json.buffer(), 0, json.size());
  }

  static void send(Context ctx, int status, ObjectNode json) throws IOException {
    HttpServer.json(ctx, status, Json.bytes(json));
  }

  /** Nothing to say: no body and no announced length, which strict clients would wait for. */
  static void nothing(Context ctx) {
    ctx.res().setStatus(204);
  }
}
