package dev.queencell.proxy.edge;

import dev.queencell.proxy.directory.ClusterView;
import dev.queencell.proxy.limit.ClusterUse;
import dev.queencell.proxy.route.Route;
import io.javalin.http.Context;
import org.eclipse.jetty.ee10.servlet.ServletContextRequest;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;

/**
 * One request and what is known of it by now. Reads the server's own view of it, since the servlet
 * view costs a lookup per header. Confined to the request's thread.
 */
final class Exchange {
  private static final long UNKNOWN_LENGTH = -1;
  private static final long NO_BODY = 0;

  private final Context ctx;
  private final ServletContextRequest request;
  private final Route route;
  private final Pass pass = new Pass();
  private ClusterView cluster;
  private ClusterUse use;
  private long bytesIn;
  private long pushItems;
  private long pushBytes;

  Exchange(Context ctx, ServletContextRequest request, Route route) {
    this.ctx = ctx;
    this.request = request;
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

  Context ctx() {
    return ctx;
  }

  ServletContextRequest request() {
    return request;
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
    return request.getHeaders();
  }

  String method() {
    return request.getMethod();
  }

  /** As the client spelled it. */
  String rawPath() {
    return request.getHttpURI().getPath();
  }

  String rawPathAndQuery() {
    return request.getHttpURI().getPathQuery();
  }

  /** True for what programs call, as opposed to pages that people look at. */
  boolean isApi() {
    var path = rawPath();
    return path.startsWith("/api/") || path.startsWith("/streams/");
  }

  String rawQuery() {
    return request.getHttpURI().getQuery();
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
