package dev.queencell.proxy.edge;

import dev.queencell.proxy.directory.ClusterView;
import dev.queencell.proxy.limit.ClusterUse;
import dev.queencell.proxy.route.Route;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpURI;

/**
 * One request and what is known of it by now, however it is served. Reads the server's own view of
 * it, since the servlet view costs a lookup per header. Confined to whoever serves it.
 */
class Exchange {
  private static final long UNKNOWN_LENGTH = -1;
  private static final long NO_BODY = 0;

  private final String method;
  private final HttpURI uri;
  private final HttpFields headers;
  private final HttpFields.Mutable answerHeaders;
  private final Route route;
  private final Pass pass = new Pass();
  private ClusterView cluster;
  private ClusterUse use;
  private long bytesIn;
  private long pushItems;
  private long pushBytes;

  Exchange(
      String method,
      HttpURI uri,
      HttpFields headers,
      HttpFields.Mutable answerHeaders,
      Route route) {
    this.method = method;
    this.uri = uri;
    this.headers = headers;
    this.answerHeaders = answerHeaders;
    this.route = route;
  }

  void admittedTo(ClusterView cluster, ClusterUse use) {
    this.cluster = cluster;
    this.use = use;
  }

  Pass pass() {
    return pass;
  }

  /** So many bytes of the body were read here. */
  void tookBody(long bytes) {
    bytesIn = bytes;
  }

  /** The body carries messages, for which room was taken. */
  void pushes(long items, long payloadBytes) {
    pushItems = items;
    pushBytes = payloadBytes;
  }

  long bytesIn() {
    return bytesIn;
  }

  long pushItems() {
    return pushItems;
  }

  long pushBytes() {
    return pushBytes;
  }

  Route route() {
    return route;
  }

  ClusterView cluster() {
    return cluster;
  }

  ClusterUse use() {
    return use;
  }

  HttpFields headers() {
    return headers;
  }

  /** Until the answer begins. */
  HttpFields.Mutable answerHeaders() {
    return answerHeaders;
  }

  /** What is left of the limits, if there are any. */
  void showLimits() {
    var left = use.rateLeft();
    if (left != null) {
      answerHeaders.put("RateLimit-Policy", use.ratePolicy());
      answerHeaders.put("RateLimit", left);
    }
  }

  String method() {
    return method;
  }

  /** As the client spelled it. */
  String rawPath() {
    return uri.getPath();
  }

  String rawPathAndQuery() {
    return uri.getPathQuery();
  }

  /** True for what programs call, as opposed to pages that people look at. */
  boolean isApi() {
    var path = rawPath();
    return path.startsWith("/api/") || path.startsWith("/streams/");
  }

  String rawQuery() {
    return uri.getQuery();
  }

  /** Length of the body: 0 for none, -1 when it comes in chunks. */
  long bodyLength() {
    if (headers().contains(HttpHeader.TRANSFER_ENCODING)) {
      return UNKNOWN_LENGTH;
    }
    long announced = headers().getLongField(HttpHeader.CONTENT_LENGTH);
    return announced < 0 ? NO_BODY : announced;
  }
}
