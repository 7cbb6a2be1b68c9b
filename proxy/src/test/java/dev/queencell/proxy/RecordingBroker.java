package dev.queencell.proxy;

import dev.queencell.service.ClientWatch;
import dev.queencell.service.HttpServer;
import io.javalin.http.Context;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A real HTTP server in a broker's place: it notes what arrives and answers as the test says. A pop
 * with {@code wait=true} stays parked until {@link #release()}, or until its client leaves.
 */
final class RecordingBroker implements AutoCloseable {
  /** A request as it arrived. */
  record Seen(String method, String pathAndQuery, Map<String, List<String>> headers, byte[] body) {
    List<String> header(String name) {
      return headers.getOrDefault(name.toLowerCase(Locale.ROOT), List.of());
    }
  }

  /** Answers a request that was noted. */
  @FunctionalInterface
  interface Answer {
    void write(Context ctx, Seen seen) throws Exception;
  }

  private static final long STOP_TIMEOUT_MS = 3_000;
  private static final long PARK_MAX_S = 60;
  private static final int BODY_MAX = 64 * 1024 * 1024;

  private final HttpServer server;
  private final Queue<Seen> seen = new ConcurrentLinkedQueue<>();
  private final AtomicInteger parked = new AtomicInteger();
  private final AtomicInteger left = new AtomicInteger();
  private volatile CountDownLatch released = new CountDownLatch(1);
  private volatile Answer answer = RecordingBroker::usual;

  RecordingBroker(int port) {
    server =
        HttpServer.start("127.0.0.1", port, STOP_TIMEOUT_MS, routes -> routes.before(this::serve));
  }

  int port() {
    return server.port();
  }

  /** Everything that arrived, in order. */
  List<Seen> seen() {
    return List.copyOf(seen);
  }

  Seen last() {
    var all = seen();
    return all.getLast();
  }

  void answerWith(Answer wanted) {
    answer = wanted;
  }

  /** Pops that are parked now. */
  int parked() {
    return parked.get();
  }

  /** Parked pops whose client left. */
  int left() {
    return left.get();
  }

  /** Ends all waiting. */
  void release() {
    released.countDown();
  }

  /** Forgets everything between two tests. */
  void reset() {
    release();
    seen.clear();
    left.set(0);
    released = new CountDownLatch(1);
    answer = RecordingBroker::usual;
  }

  @Override
  public void close() {
    release();
    server.close();
  }

  private void serve(Context ctx) throws Exception {
    ctx.skipRemainingHandlers();
    if (ctx.path().equals("/link")) {
      // A broker without links; the question is none of a test's requests.
      ctx.status(404);
      return;
    }
    var headers = new TreeMap<String, List<String>>();
    for (var name : Collections.list(ctx.req().getHeaderNames())) {
      headers
          .computeIfAbsent(name.toLowerCase(Locale.ROOT), ignored -> new ArrayList<>())
          .addAll(Collections.list(ctx.req().getHeaders(name)));
    }
    var query = ctx.req().getQueryString();
    var request =
        new Seen(
            ctx.req().getMethod(),
            ctx.req().getRequestURI() + (query == null ? "" : "?" + query),
            headers,
            HttpServer.body(ctx, BODY_MAX));
    seen.add(request);
    if (query != null && query.contains("wait=true") && request.pathAndQuery().contains("/pop/")) {
      park(ctx);
    }
    answer.write(ctx, request);
  }

  private void park(Context ctx) throws InterruptedException {
    var ended = new CountDownLatch(1);
    var latch = released;
    parked.incrementAndGet();
    var waker =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    if (latch.await(PARK_MAX_S, TimeUnit.SECONDS)) {
                      ended.countDown();
                    }
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                });
    var watch =
        ClientWatch.open(
            ctx,
            () -> {
              left.incrementAndGet();
              ended.countDown();
            });
    try {
      ended.await();
    } finally {
      watch.close();
      waker.interrupt();
      parked.decrementAndGet();
    }
  }

  private static void usual(Context ctx, Seen seen) throws IOException {
    if (seen.pathAndQuery().startsWith("/api/v1/push")) {
      json(ctx, 201, "[]");
    } else if (seen.pathAndQuery().contains("/pop/")) {
      ctx.res().setContentType(null);
      ctx.res().setStatus(204);
    } else {
      json(ctx, 200, "{\"ok\":true}");
    }
  }

  static void json(Context ctx, int status, String body) throws IOException {
    HttpServer.json(ctx, status, body.getBytes(StandardCharsets.UTF_8));
  }
}
