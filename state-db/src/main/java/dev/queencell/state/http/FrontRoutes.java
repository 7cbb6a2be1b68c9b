package dev.queencell.state.http;

import dev.queencell.service.HttpProblem;
import dev.queencell.service.HttpServer;
import dev.queencell.service.Json;
import dev.queencell.state.control.Refusal;
import dev.queencell.state.session.SessionTokens;
import dev.queencell.state.session.Sessions;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.javalin.http.Handler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * {@code /api/edge/front/auth}: logging in and out, carried here by the proxy. Under the guard of
 * {@link EdgeRoutes}.
 */
final class FrontRoutes {
  /** What the proxy puts before the path that a client asked for. */
  static final String PREFIX = "/api/edge/front";

  private static final long BODY_BYTES_MAX = 64 * 1024;
  private static final String AFTER_LOGIN = "/console";
  private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}");
  private static final String PAGE = page();

  private final Sessions sessions;
  private final Optional<String> cookieDomain;

  /**
   * @param cookieDomain where the session's cookie is sent too, or nothing for the host alone
   */
  FrontRoutes(Sessions sessions, Optional<String> cookieDomain) {
    this.sessions = sessions;
    this.cookieDomain = cookieDomain;
  }

  void addTo(RoutesConfig routes) {
    routes.get(PREFIX + "/.well-known/jwks.json", this::keySet);
    routes.get(PREFIX + "/auth/login", this::loginPage);
    routes.post(PREFIX + "/auth/login", worded(this::login));
    routes.post(PREFIX + "/auth/logout", this::logout);
    routes.get(PREFIX + "/auth/me", this::me);
    routes.get(PREFIX + "/auth/session-token", this::bearer);
  }

  /** The control plane says {@code invalid} where the contract of the edge says otherwise. */
  static Handler worded(Handler handler) {
    return ctx -> {
      try {
        handler.handle(ctx);
      } catch (HttpProblem e) {
        throw "invalid".equals(e.code())
            ? new HttpProblem(e.status(), e.getMessage(), "invalid_request")
            : e;
      }
    };
  }

  private void keySet(Context ctx) throws IOException {
    var tokens = sessions.tokens();
    Answers.send(
        ctx,
        200,
        tokens
            .map(SessionTokens::keySet)
            .orElseGet(() -> Json.object().set("keys", Json.mapper().createArrayNode())));
  }

  private void loginPage(Context ctx) throws IOException {
    var bytes = PAGE.getBytes(StandardCharsets.UTF_8);
    ctx.res().setContentType("text/html; charset=utf-8");
    ctx.res().setHeader("Cache-Control", "no-store");
    ctx.res().setContentLength(bytes.length);
    ctx.res().getOutputStream().write(bytes);
  }

  /** Takes JSON, and the form of the page, which is sent on afterwards. */
  private void login(Context ctx) throws IOException, InterruptedException {
    if (Caller.isForeign(ctx)) {
      throw new HttpProblem(403, "another site asked to log in here", "forbidden");
    }
    var caller = Caller.of(ctx);
    var type = ctx.req().getContentType();
    boolean isForm = type != null && type.startsWith("application/x-www-form-urlencoded");
    var given = isForm ? form(ctx) : json(ctx);
    var token = sessions.login(caller.client(), given.email(), given.password());
    setCookie(ctx, caller, token, sessions.life().toSeconds());
    if (isForm) {
      ctx.res().setStatus(303);
      ctx.res().setHeader("Location", given.next());
    } else {
      Answers.send(ctx, 200, Json.object().put("ok", true).put("next", given.next()));
    }
  }

  private void logout(Context ctx) throws IOException {
    var caller = Caller.of(ctx);
    var person = caller.token().flatMap(sessions::person).orElseThrow(FrontRoutes::noSession);
    sessions.end(person);
    setCookie(ctx, caller, "", 0);
    Answers.send(ctx, 200, Json.object().put("ok", true));
  }

  /** By the cookie only: it tells a page who its session is. */
  private void me(Context ctx) throws IOException {
    var caller = Caller.of(ctx);
    var person = caller.cookie().flatMap(sessions::person).orElseThrow(FrontRoutes::noSession);
    var answer = Json.object();
    answer
        .putObject("user")
        .put("id", person.claims().userId().toString())
        .put("email", person.email());
    answer
        .putObject("tenant")
        .put("id", person.tenantId().toString())
        .put("slug", person.tenantSlug());
    var clusters = answer.putArray("clusters");
    for (var role : sessions.clusters(person)) {
      clusters
          .addObject()
          .put("id", role.clusterId().toString())
          .put("slug", role.slug())
          .put("role", role.role());
    }
    answer.put("operator", person.operator());
    answer.put(
        "acting_cluster",
        caller
            .actCluster()
            .map(act -> sessions.act(person, Optional.empty(), Optional.of(act), true))
            .map(acting -> acting.clusterId().toString())
            .orElse(null));
    Answers.send(ctx, 200, answer);
  }

  private void bearer(Context ctx) throws IOException {
    var caller = Caller.of(ctx);
    var person = caller.cookie().flatMap(sessions::person).orElseThrow(FrontRoutes::noSession);
    var cluster = caller.sharedHost() ? Optional.<UUID>empty() : caller.hostCluster();
    ctx.res().setHeader("Cache-Control", "no-store");
    Answers.send(
        ctx,
        200,
        Json.object()
            .put("token", sessions.bearer(person, cluster))
            .put("expires_in", Sessions.BEARER_LIFE.toSeconds()));
  }

  private record Given(String email, String password, String next) {}

  private static Given json(Context ctx) {
    var fields = Fields.of(ctx);
    return given(fields.email("email"), fields.secretText("password"), fields.secretText("next"));
  }

  private static Given form(Context ctx) {
    var body = new String(HttpServer.body(ctx, BODY_BYTES_MAX), StandardCharsets.UTF_8);
    return given(
        Caller.formField(body, "email")
            .map(email -> email.strip().toLowerCase(Locale.ROOT))
            .orElse(null),
        Caller.formField(body, "password").orElse(null),
        Caller.formField(body, "next").orElse(null));
  }

  private static Given given(String email, String password, String next) {
    if (email == null || password == null) {
      throw Refusal.invalid("email and password are needed to log in");
    }
    return new Given(email, password, isOwnPath(next) ? next : AFTER_LOGIN);
  }

  /** A place on this host: nothing that a browser could take for another one. */
  private static boolean isOwnPath(String next) {
    return next != null
        && next.startsWith("/")
        && !next.startsWith("//")
        && !next.startsWith("/\\")
        && !next.contains("://")
        && !CONTROL.matcher(next).find();
  }

  private void setCookie(Context ctx, Caller caller, String value, long maxAgeSeconds) {
    var cookie =
        new StringBuilder(
            "%s=%s; Path=/; HttpOnly; SameSite=Lax; Max-Age=%d"
                .formatted(Caller.COOKIE, value, maxAgeSeconds));
    cookieDomain.ifPresent(domain -> cookie.append("; Domain=").append(domain));
    if (cookieDomain.isPresent() || caller.https()) {
      cookie.append("; Secure");
    }
    ctx.res().setHeader("Set-Cookie", cookie.toString());
    ctx.res().setHeader("Cache-Control", "no-store");
  }

  private static HttpProblem noSession() {
    return Sessions.unauthorized("there is no live session");
  }

  private static String page() {
    try (var in = FrontRoutes.class.getResourceAsStream("/dev/queencell/state/login.html")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
