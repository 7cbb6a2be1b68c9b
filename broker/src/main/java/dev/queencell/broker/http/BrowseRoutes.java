package dev.queencell.broker.http;

import dev.queencell.broker.crypto.PayloadCipher;
import dev.queencell.broker.engine.Engine;
import dev.queencell.broker.engine.MessageBrowser.Filter;
import dev.queencell.broker.engine.MessageBrowser.Status;
import dev.queencell.broker.store.Slice;
import dev.queencell.service.HttpProblem;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;

/** {@code GET /api/v1/messages}: looks at messages without taking them. */
final class BrowseRoutes {
  private static final int LIMIT_DEFAULT = 200;
  private static final Duration WINDOW_DEFAULT = Duration.ofHours(1);

  private final Engine engine;
  private final Tenancy tenancy;
  private final PayloadCipher cipher;

  BrowseRoutes(Engine engine, Tenancy tenancy, PayloadCipher cipher) {
    this.engine = engine;
    this.tenancy = tenancy;
    this.cipher = cipher;
  }

  void register(RoutesConfig routes) {
    routes.get("/api/v1/messages", this::list);
    routes.get("/api/v1/messages/{partitionId}/{transactionId}", this::one);
  }

  private void list(Context ctx) throws IOException {
    var tenant = tenancy.of(ctx);
    var query = Query.of(ctx);
    var page = Page.of(query, LIMIT_DEFAULT);
    var window = Window.of(query, WINDOW_DEFAULT);
    var namespace = query.text("namespace");
    var filter =
        new Filter(
            query.text("queue"),
            query.text("partition"),
            namespace == null ? query.text("ns") : namespace,
            query.text("task"),
            status(query.text("status")),
            Window.micros(window.from()),
            Window.micros(window.toMinuteEnd()),
            page.limit(),
            page.offset());
    Answer.send(ctx, 200, MessageDocuments.list(engine.browser().list(tenant, filter), cipher));
  }

  private void one(Context ctx) throws IOException {
    var tenant = tenancy.of(ctx);
    var found =
        engine
            .browser()
            .find(tenant, ctx.pathParam("partitionId"), Slice.utf8(ctx.pathParam("transactionId")));
    if (found.isEmpty()) {
      throw new HttpProblem(404, "Message not found", null);
    }
    Answer.send(ctx, 200, MessageDocuments.one(found.get(), cipher));
  }

  private static Status status(String word) {
    if (word == null) {
      return null;
    }
    for (var status : Status.values()) {
      if (word(status).equals(word)) {
        return status;
      }
    }
    throw HttpProblem.badRequest(
        "bad query: status is '%s'; it takes pending, processing, completed or dead_letter"
            .formatted(word));
  }

  static String word(Status status) {
    return status.name().toLowerCase(Locale.ROOT);
  }
}
