package dev.queencell.client;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/**
 * What to pop, in one of the three shapes: from a queue ({@link #fromQueue}), from one partition
 * ({@link #fromPartition}) or from whatever queues match a namespace and task ({@link #discover}).
 * Build it once and send it often: the request line is made once. Immutable.
 */
public final class PopRequest {
  private static final String ROOT = "/api/v1/pop";

  private final String path;
  private final String query;
  private final String group;
  private final long waitMs;

  private PopRequest(String path, String query, String group, long waitMs) {
    this.path = path;
    this.query = query;
    this.group = group;
    this.waitMs = waitMs;
  }

  /** Any partitions of one queue, as the broker chooses. */
  public static PopRequest fromQueue(String queue) {
    return new PopRequest(ROOT + "/queue/" + encode(queue), "", "", 0);
  }

  /** Exactly one partition. */
  public static PopRequest fromPartition(String queue, String partition) {
    return new PopRequest(
        ROOT + "/queue/" + encode(queue) + "/partition/" + encode(partition), "", "", 0);
  }

  /** All queues with this namespace and task; one of the two may be empty, meaning any. */
  public static PopRequest discover(String namespace, String task) {
    var request = new PopRequest(ROOT, "", "", 0);
    if (!namespace.isEmpty()) {
      request = request.with("namespace", namespace);
    }
    return task.isEmpty() ? request : request.with("task", task);
  }

  /** For a consumer group; without one the shared queue-mode group is meant. */
  public PopRequest group(String name) {
    var request = with("consumerGroup", name);
    return new PopRequest(request.path, request.query, name, request.waitMs);
  }

  /** At most this many messages over all partitions. */
  public PopRequest batch(int messages) {
    return with("batch", Integer.toString(messages));
  }

  /** At most this many partitions. */
  public PopRequest partitions(int count) {
    return with("partitions", Integer.toString(count));
  }

  /** Waits up to this long for a message; the HTTP timeout grows with it. */
  public PopRequest waitUpTo(long timeoutMs) {
    var request = with("wait", "true").with("timeout", Long.toString(timeoutMs));
    return new PopRequest(request.path, request.query, request.group, timeoutMs);
  }

  /** Commits inside the pop: at most once, nothing to ack. */
  public PopRequest autoAck() {
    return with("autoAck", "true");
  }

  /** A lease other than the queue's own. */
  public PopRequest leaseSeconds(int seconds) {
    return with("leaseSeconds", Integer.toString(seconds));
  }

  /** Where a group starts that the broker has not seen: {@code new} or {@code all}. */
  public PopRequest subscriptionMode(String mode) {
    return with("subscriptionMode", mode);
  }

  /** Where a new group starts: {@code now} or an ISO-8601 instant. */
  public PopRequest subscriptionFrom(String instant) {
    return with("subscriptionFrom", instant);
  }

  /** Only the newest message per partition. */
  public PopRequest conflation() {
    return with("conflation", "true");
  }

  /** The group it names; empty in queue mode. */
  public String groupName() {
    return group;
  }

  String target() {
    return query.isEmpty() ? path : path + "?" + query;
  }

  long waitMs() {
    return waitMs;
  }

  private PopRequest with(String name, String value) {
    var parameter = name + "=" + encode(value);
    return new PopRequest(
        path, query.isEmpty() ? parameter : query + "&" + parameter, group, waitMs);
  }

  /** Percent-encodes for a path segment and for a query value alike. */
  static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
