package dev.queencell.proxy.edge;

import dev.queencell.proxy.directory.StateAwayException;
import dev.queencell.proxy.directory.StateClient;
import dev.queencell.service.HttpServer;
import io.javalin.http.Context;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.message.BasicHeader;
import org.eclipse.jetty.ee10.servlet.ServletContextRequest;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;

/**
 * Carries sign-in and console to the tenant state, which keeps passwords, sessions and roles. Only
 * the headers that it needs go along; what speaks for the proxy itself is put in here and never
 * taken from the client.
 *
 * <p>Thread-safe.
 */
final class FrontDoor {
  private static final String PREFIX = "/api/edge/front";
  private static final int BODY_BYTES_MAX = 64 * 1024;

  /** A slow hash is meant to be slow. */
  private static final long TIMEOUT_MS = 10_000;

  private static final Set<String> METHODS =
      Set.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE");

  private static final List<String> CARRIED =
      List.of(
          "Cookie",
          "Authorization",
          "Content-Type",
          "Origin",
          "Sec-Fetch-Mode",
          "Sec-Fetch-Site",
          "X-Forwarded-Proto",
          Gatekeeper.ACT_CLUSTER);

  private static final Set<String> RETURNED =
      Set.of("content-type", "set-cookie", "location", "retry-after", "cache-control");

  private final StateClient state;
  private final Gatekeeper gatekeeper;

  FrontDoor(StateClient state, Gatekeeper gatekeeper) {
    this.state = state;
    this.gatekeeper = gatekeeper;
  }

  /** True for the paths that go this way. An odd spelling is none of them. */
  static boolean carries(String rawPath) {
    boolean listed = rawPath.startsWith("/auth/") || rawPath.startsWith("/api/console/");
    return (listed && isPlain(rawPath)) || rawPath.equals("/.well-known/jwks.json");
  }

  void handle(Context ctx) throws IOException {
    var request = ServletContextRequest.getServletContextRequest(ctx.req());
    if (!METHODS.contains(request.getMethod())) {
      throw Refusals.routeBlocked();
    }
    var body = HttpServer.body(ctx, BODY_BYTES_MAX);
    StateClient.Answer answer;
    try {
      answer =
          state.carry(
              request.getMethod(),
              PREFIX + request.getHttpURI().getPathQuery(),
              headers(request),
              body,
              TIMEOUT_MS);
    } catch (StateAwayException e) {
      throw Refusals.notConfigured();
    }
    send(ctx, request, answer);
  }

  private static void send(Context ctx, ServletContextRequest request, StateClient.Answer answer)
      throws IOException {
    var response = request.getServletContextResponse();
    response.setStatus(answer.status());
    response.getHeaders().remove(HttpHeader.CONTENT_TYPE);
    for (var header : answer.headers()) {
      if (RETURNED.contains(header.getName().toLowerCase(Locale.ROOT))) {
        response.getHeaders().add(header.getName(), header.getValue());
      }
    }
    if (answer.body().length > 0) {
      ctx.res().setContentLength(answer.body().length);
      ctx.res().getOutputStream().write(answer.body());
    }
  }

  private List<Header> headers(ServletContextRequest request) {
    var client = request.getHeaders();
    var headers = new ArrayList<Header>();
    for (var name : CARRIED) {
      for (var value : client.getValuesList(name)) {
        headers.add(new BasicHeader(name, value));
      }
    }
    var host = HostName.whole(client.get(HttpHeader.HOST));
    if (gatekeeper.isShared(host)) {
      headers.add(new BasicHeader("x-queen-edge-shared", "true"));
    } else {
      var cluster = gatekeeper.clusterAt(host);
      if (cluster != null) {
        headers.add(new BasicHeader("x-queen-edge-cluster", cluster.id()));
      }
    }
    headers.add(new BasicHeader("x-queen-edge-client", client(request, client)));
    return headers;
  }

  /**
   * Who is there: the peer, or whom a peer on this machine says that it speaks for. Nobody from
   * elsewhere chooses the name that its attempts are counted under.
   */
  private static String client(ServletContextRequest request, HttpFields headers) {
    InetAddress peer = null;
    if (request.getConnectionMetaData().getRemoteSocketAddress()
        instanceof InetSocketAddress address) {
      peer = address.getAddress();
    }
    if (peer == null) {
      return "unknown";
    }
    if (peer.isLoopbackAddress()) {
      var forwarded = headers.get(HttpHeader.X_FORWARDED_FOR);
      var named = forwarded == null ? headers.get("X-Real-IP") : forwarded.split(",", 2)[0];
      if (named != null && named.strip().matches("[0-9A-Fa-f.:]{2,45}")) {
        return named.strip();
      }
    }
    return peer.getHostAddress();
  }

  private static boolean isPlain(String path) {
    if (path.contains("//") || path.contains("/.")) {
      return false;
    }
    for (int i = 0; i < path.length(); i++) {
      char c = path.charAt(i);
      boolean plain =
          (c >= 'a' && c <= 'z')
              || (c >= 'A' && c <= 'Z')
              || (c >= '0' && c <= '9')
              || "/-_.~".indexOf(c) >= 0;
      if (!plain) {
        return false;
      }
    }
    return true;
  }
}
