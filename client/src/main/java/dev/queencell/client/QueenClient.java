package dev.queencell.client;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import tools.jackson.databind.JsonNode;

/**
 * The message plane for one caller. Light: it adds three headers to requests over its transport's
 * pool. Every call is one request and blocks until its answer; nothing is retried unless {@link
 * #retrying} asked for it. Thread-safe.
 *
 * <p>Failures are {@link QueenException}s: a {@link QueenStatusException} when the server refused,
 * a {@link QueenTransportException} when no answer came.
 */
public final class QueenClient {
  /** What a waiting pop's HTTP timeout adds to its wait. */
  static final long POP_MARGIN_MS = 5_000;

  private static final String PUSH = "/api/v1/push";
  private static final String TRANSACTION = "/api/v1/transaction";
  private static final String ACK = "/api/v1/ack";
  private static final String ACK_BATCH = "/api/v1/ack/batch";
  private static final String QUEUES = "/api/v1/resources/queues";

  private final HttpExchange exchange;
  private final long timeoutMs;
  private final Caller caller;
  private final RetryOn429 retry;
  private final HttpExchange.Headers headers;

  QueenClient(HttpExchange exchange, long timeoutMs, Caller caller, RetryOn429 retry) {
    this.exchange = exchange;
    this.timeoutMs = timeoutMs;
    this.caller = caller;
    this.retry = retry;
    this.headers =
        new HttpExchange.Headers()
            .with("Host", caller.host())
            .with("Authorization", caller.apiKey().isEmpty() ? "" : "Bearer " + caller.apiKey())
            .with("x-queen-tenant", caller.tenant());
  }

  /** The same client with retries of 429. */
  public QueenClient retrying(RetryOn429 policy) {
    return new QueenClient(exchange, timeoutMs, caller, policy);
  }

  /**
   * Pushes a batch. An answer that took only some items is no exception: look at the statuses.
   *
   * @return a status per item, in the batch's order
   */
  public PushResult push(PushBatch batch) {
    var body = batch.finish();
    try {
      var answer = call("POST", PUSH, body.buffer(), body.length(), timeoutMs);
      return PushResult.parse(answer.body(), batch.size());
    } finally {
      batch.reopen();
    }
  }

  /** Pops; nothing there is an empty result. */
  public PopResult pop(PopRequest request) {
    long popTimeoutMs =
        request.waitMs() == 0 ? timeoutMs : Math.max(timeoutMs, request.waitMs() + POP_MARGIN_MS);
    var answer = call("GET", request.target(), null, 0, popTimeoutMs);
    return answer.status() == 204 ? PopResult.EMPTY : PopResult.parse(answer.body());
  }

  /** Acks a batch. Refusals of single acks are in the result, not thrown. */
  public AckResult ack(AckBatch batch) {
    var body = batch.finish();
    try {
      var answer = call("POST", ACK_BATCH, body.buffer(), body.length(), timeoutMs);
      return AckResult.parse(answer.body(), batch.size());
    } finally {
      batch.reopen();
    }
  }

  /** Acks one message. */
  public AckResult ack(String group, PoppedMessage message, AckStatus status, String error) {
    var json = new JsonBytes(256);
    AckBatch.writeItem(json, message, status, error);
    if (!group.isEmpty()) {
      json.raw(JsonBytes.ascii(",\"consumerGroup\":")).string(group);
    }
    json.raw('}');
    var answer = call("POST", ACK, json.buffer(), json.length(), timeoutMs);
    return AckResult.parse(answer.body(), 1);
  }

  /** Acks and pushes, all or nothing. A rollback is in the result, not thrown. */
  public TransactionResult transaction(TransactionBatch batch) {
    var body = batch.finish();
    try {
      var answer = call("POST", TRANSACTION, body.buffer(), body.length(), timeoutMs);
      return TransactionResult.parse(answer.body());
    } finally {
      batch.reopen();
    }
  }

  /** Renews a lease: it ends no earlier than this many seconds from now. */
  public LeaseExtension extendLease(String leaseId, int seconds) {
    var node =
        document(
            "POST",
            "/api/v1/lease/" + PopRequest.encode(leaseId) + "/extend",
            Map.of("seconds", seconds));
    return new LeaseExtension(
        node.path("renewed").asInt(0), node.path("newExpiresAt").asString(""));
  }

  /** Creates a queue or changes the options that are set. */
  public void configure(String queue, QueueOptions options) {
    document("POST", "/api/v1/configure", Map.of("queue", queue, "options", options.values()));
  }

  /** Every queue of the caller. */
  public List<QueueInfo> queues() {
    var found = new ArrayList<QueueInfo>();
    for (var node : document("GET", QUEUES, null).path("queues")) {
      found.add(QueueInfo.of(node));
    }
    return found;
  }

  /** One queue; a missing one is a {@link QueenStatusException} with status 404. */
  public QueueInfo queue(String name) {
    return QueueInfo.of(document("GET", QUEUES + "/" + PopRequest.encode(name), null));
  }

  /** Deletes a queue with everything under it; false when there was none. */
  public boolean deleteQueue(String name) {
    return document("DELETE", QUEUES + "/" + PopRequest.encode(name), null)
        .path("deleted")
        .asBoolean(false);
  }

  /**
   * What a group has still to complete.
   *
   * @param group empty asks for the slowest group
   */
  public QueueDepth depth(String queue, String group) {
    var path = QUEUES + "/" + PopRequest.encode(queue) + "/depth";
    var node =
        document("GET", group.isEmpty() ? path : path + "?group=" + PopRequest.encode(group), null);
    var byPartition = new HashMap<String, Long>();
    for (var row : node.path("partitions")) {
      byPartition.put(row.path("partition").asString(""), row.path("pending").asLong(0));
    }
    return new QueueDepth(
        node.path("pending").asLong(0), node.path("processing").asLong(0), byPartition);
  }

  /** The server's own document at a path, such as {@code /health}, as JSON text. */
  public byte[] get(String path) {
    return call("GET", path, null, 0, timeoutMs).body();
  }

  /** Starts consuming in the background until the returned handle is closed. */
  public Consumption consume(Consumption.Settings settings, Consumption.Handler handler) {
    return Consumption.start(this, settings, handler);
  }

  private JsonNode document(String method, String path, Object request) {
    var body = request == null ? null : HttpExchange.JSON.writeValueAsBytes(request);
    var answer = call(method, path, body, body == null ? 0 : body.length, timeoutMs);
    return HttpExchange.JSON.readTree(answer.body());
  }

  private HttpExchange.Answer call(
      String method, String path, byte[] body, int length, long responseTimeoutMs) {
    return retrying(
        () ->
            exchange.sendExpectingSuccess(method, path, headers, body, length, responseTimeoutMs));
  }

  private HttpExchange.Answer retrying(Supplier<HttpExchange.Answer> attempt) {
    for (int attempts = 1; ; attempts++) {
      try {
        return attempt.get();
      } catch (QueenStatusException e) {
        if (e.status() != 429 || attempts >= retry.attemptsMax()) {
          throw e;
        }
        pause(retry.waitMs(attempts, e.retryAfterSeconds()));
      }
    }
  }

  private static void pause(long waitMs) {
    try {
      Thread.sleep(waitMs);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new QueenTransportException(
          "wait after 429", QueenTransportException.Failure.INTERRUPTED, e);
    }
  }
}
