package dev.queencell.state.http;

import io.javalin.http.Context;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.UUID;

/**
 * What the proxy passes on about a person's request: credential, where it went, who it came from.
 *
 * <p>A cookie only counts where a page of ours can have sent it: not on a navigation to an API
 * path, and not on a change that another site asked for. An {@code Authorization} header is never
 * sent by a browser on its own, and counts always.
 */
record Caller(
    Optional<String> bearer,
    Optional<String> cookie,
    Optional<UUID> hostCluster,
    boolean sharedHost,
    Optional<String> actCluster,
    String client,
    boolean https) {
  static final String COOKIE = "queen_session";

  private static final String BEARER = "Bearer ";
  private static final String KEY_PREFIX = "qk_";

  static Caller of(Context ctx) {
    var request = ctx.req();
    var authorization = Optional.ofNullable(request.getHeader("Authorization"));
    boolean navigates = "navigate".equals(request.getHeader("Sec-Fetch-Mode"));
    boolean changes = !request.getMethod().equals("GET") && !request.getMethod().equals("HEAD");
    boolean foreign = changes && isForeign(ctx);
    boolean isApi = ctx.path().startsWith(FrontRoutes.PREFIX + "/api/");
    return new Caller(
        authorization
            .filter(value -> value.regionMatches(true, 0, BEARER, 0, BEARER.length()))
            .map(value -> value.substring(BEARER.length()).strip()),
        cookie(request.getHeader("Cookie"))
            .filter(value -> !value.startsWith(KEY_PREFIX))
            .filter(value -> !(navigates && isApi) && !foreign),
        Optional.ofNullable(request.getHeader("x-queen-edge-cluster"))
            .map(id -> Fields.checkUuid("x-queen-edge-cluster", id)),
        "true".equals(request.getHeader("x-queen-edge-shared")),
        Optional.ofNullable(request.getHeader("x-queen-act-cluster")).map(String::strip),
        Optional.ofNullable(request.getHeader("x-queen-edge-client")).orElse("unknown"),
        "https".equalsIgnoreCase(request.getHeader("X-Forwarded-Proto")));
  }

  /** The session token: the header's, else the cookie's. */
  Optional<String> token() {
    return bearer.isPresent() ? bearer.filter(value -> !isKey(value)) : cookie;
  }

  /** The API key, where one was sent. */
  Optional<String> key() {
    return bearer.filter(Caller::isKey);
  }

  /** Whether the browser says that another site asked for this. */
  static boolean isForeign(Context ctx) {
    var site = ctx.req().getHeader("Sec-Fetch-Site");
    return "cross-site".equals(site) || "same-site".equals(site);
  }

  private static boolean isKey(String value) {
    return value.startsWith(KEY_PREFIX);
  }

  private static Optional<String> cookie(String header) {
    if (header == null) {
      return Optional.empty();
    }
    return Arrays.stream(header.split(";"))
        .map(String::strip)
        .filter(pair -> pair.startsWith(COOKIE + "="))
        .map(pair -> pair.substring(COOKIE.length() + 1))
        .filter(value -> !value.isEmpty())
        .findFirst();
  }

  /** A field of a form body, or nothing. */
  static Optional<String> formField(String body, String name) {
    return Arrays.stream(body.split("&"))
        .filter(pair -> pair.startsWith(name + "="))
        .map(pair -> URLDecoder.decode(pair.substring(name.length() + 1), StandardCharsets.UTF_8))
        .findFirst();
  }
}
