package dev.queencell.state.session;

import at.favre.lib.crypto.bcrypt.BCrypt;
import dev.queencell.service.HttpProblem;
import dev.queencell.service.Json;
import dev.queencell.state.control.Ids;
import dev.queencell.state.control.Ledger;
import dev.queencell.state.control.Provisioning;
import dev.queencell.state.session.SessionTokens.Claims;
import dev.queencell.state.store.Row;
import dev.queencell.state.store.Statements;
import dev.queencell.state.store.Tx;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Who somebody is and what they may do on a cluster now. A token only names a user; whether the
 * session was ended, the account still is there, and which role it has is looked up each time.
 *
 * <p>Checking a password is slow on purpose, so only a few are checked at once and an address may
 * only try so often. Thread-safe.
 */
public final class Sessions {
  /**
   * How sessions work here.
   *
   * @param tokens nothing when no key is set: then there are no sessions
   * @param life of a session
   * @param operators whether the operator bit counts
   */
  public record Rules(Optional<SessionTokens> tokens, Duration life, boolean operators) {}

  /** A person with a live session. */
  public record Person(
      Claims claims, UUID tenantId, String tenantSlug, String email, boolean operator) {}

  /** A person acting on a cluster. */
  public record Acting(Person person, UUID clusterId, String role) {}

  /** A cluster and a role on it. */
  public record Role(UUID clusterId, String slug, String role) {}

  private record Login(UUID id, String passwordHash) {}

  private record Target(UUID clusterId, String role) {}

  /** Of one-time bearers for a page's scripts. */
  public static final Duration BEARER_LIFE = Duration.ofMinutes(15);

  /** Passwords checked at once: each takes a CPU for some 50 ms. */
  private static final int CHECKS_MAX = 2;

  private static final int CHECK_WAIT_SECONDS = 5;
  private static final int RETRY_AFTER_SECONDS = (int) LoginThrottle.WINDOW.toSeconds();
  private static final int CLUSTERS_MAX = 1000;

  /**
   * What an unknown email is checked against, so that it takes as long as a known one. Of a word,
   * with as many rounds as people's own; made here it would be a tenth of the service's start.
   */
  private static final String NOBODYS_HASH =
      "$2a$10$LkmhciUs/JlEENdbY8lvd.vEu9r1PU3fLFpdSopUwd06fYZGnEoHS";

  private static final Statements SQL = Statements.of("sessions");
  private static final String LOGIN = SQL.named("login");
  private static final String PERSON = SQL.named("person");
  private static final String REVOKED = SQL.named("revoked");
  private static final String REVOKE = SQL.named("revoke");
  private static final String SWEEP = SQL.named("sweep");
  private static final String CLUSTERS_OF = SQL.named("clusters_of_user");
  private static final String ROLE_BY_ID = SQL.named("role_by_id");
  private static final String ROLE_BY_SLUG = SQL.named("role_by_slug");

  private final Ledger ledger;
  private final Rules rules;
  private final InstantSource clock;
  private final LoginThrottle throttle = new LoginThrottle();
  private final Semaphore checks = new Semaphore(CHECKS_MAX, true);

  public Sessions(Ledger ledger, Rules rules, InstantSource clock) {
    this.ledger = ledger;
    this.rules = rules;
    this.clock = clock;
  }

  /** Whether there are sessions at all. */
  public Optional<SessionTokens> tokens() {
    return rules.tokens();
  }

  public Duration life() {
    return rules.life();
  }

  /**
   * Checks a password; answers a token.
   *
   * @param client the address that tries
   * @throws HttpProblem 429 {@code rate_limited}, 401 {@code unauthorized}, 503 {@code
   *     not_configured}
   */
  public String login(String client, String email, String password) throws InterruptedException {
    var tokens = minting();
    if (!throttle.admit(client, clock.instant())) {
      throw new HttpProblem(
          429, "too many attempts to log in; wait a minute", "rate_limited", RETRY_AFTER_SECONDS);
    }
    var login =
        ledger.read(
            tx ->
                tx.one(LOGIN, row -> new Login(row.uuid("id"), row.text("password_hash")), email));
    var hash = login.map(Login::passwordHash).orElse(NOBODYS_HASH);
    // bcrypt looks at 72 bytes; nobody was ever given a longer password.
    boolean possible =
        password.getBytes(StandardCharsets.UTF_8).length <= Provisioning.PASSWORD_BYTES_MAX;
    if (!matches(possible ? password : "", hash) || login.isEmpty() || !possible) {
      throw unauthorized("wrong email or password");
    }
    return tokens.mint(login.get().id(), clock.instant(), rules.life(), Optional.empty());
  }

  /** A bearer for a page's scripts, good for one cluster or for all. */
  public String bearer(Person person, Optional<UUID> cluster) {
    return minting()
        .mint(person.claims().userId(), clock.instant(), BEARER_LIFE, cluster.map(UUID::toString));
  }

  /** The person of a token, or nothing when it is no live session. */
  public Optional<Person> person(String token) {
    var claims = rules.tokens().flatMap(tokens -> tokens.verify(token, clock.instant()));
    return claims.flatMap(said -> ledger.read(tx -> person(tx, said)));
  }

  /** Ends a session; the edge hears of it. */
  public void end(Person person) {
    var claims = person.claims();
    var _ =
        ledger.write(
            mutation -> {
              if (mutation.tx().change(REVOKE, claims.jti(), claims.expiresAt().toString()) > 0) {
                mutation.auditUser(
                    claims.userId(),
                    person.tenantId(),
                    null,
                    "session_ended",
                    claims.jti(),
                    Json.object());
                mutation.sessionEnded(claims.jti());
              }
              return true;
            });
  }

  /** Forgets ended sessions that would be over anyway. */
  public void sweep() {
    var _ = ledger.write(mutation -> mutation.tx().change(SWEEP));
  }

  /** The clusters that somebody has a role on. */
  public List<Role> clusters(Person person) {
    return ledger.read(
        tx ->
            tx.list(
                CLUSTERS_OF,
                row -> new Role(row.uuid("id"), row.text("slug"), row.text("role")),
                person.claims().userId(),
                CLUSTERS_MAX));
  }

  /**
   * Decides what a person may do.
   *
   * @param host the cluster that the host names
   * @param act slug or id of another one to act on
   * @param shared whether the host serves several clusters
   * @throws HttpProblem 403 {@code forbidden}
   */
  public Acting act(Person person, Optional<UUID> host, Optional<String> act, boolean shared) {
    var named = act.or(() -> shared ? person.claims().cluster() : host.map(UUID::toString));
    if (named.isEmpty()) {
      throw forbidden("this host serves several clusters; name one with x-queen-act-cluster");
    }
    var target = ledger.read(tx -> role(tx, person.claims().userId(), named.get()));
    var acting =
        target
            .flatMap(found -> allowed(person, found))
            .orElseThrow(() -> forbidden("no such cluster, or no role on it"));
    if (person
        .claims()
        .cluster()
        .filter(only -> !only.equals(acting.clusterId().toString()))
        .isPresent()) {
      throw forbidden("token not valid for this cluster");
    }
    return acting;
  }

  /** 401: whatever is wrong with a credential. */
  public static HttpProblem unauthorized(String text) {
    return new HttpProblem(401, text, "unauthorized");
  }

  private static Optional<Acting> allowed(Person person, Target target) {
    if (person.operator()) {
      return Optional.of(new Acting(person, target.clusterId(), "admin"));
    }
    return Optional.ofNullable(target.role())
        .map(role -> new Acting(person, target.clusterId(), role));
  }

  private static Optional<Target> role(Tx tx, UUID userId, String cluster) throws SQLException {
    Row.Reader<Target> reader = row -> new Target(row.uuid("id"), row.text("role"));
    return Ids.isUuid(cluster)
        ? tx.one(ROLE_BY_ID, reader, userId, UUID.fromString(cluster))
        : tx.one(ROLE_BY_SLUG, reader, userId, cluster);
  }

  private Optional<Person> person(Tx tx, Claims claims) throws SQLException {
    if (tx.one(REVOKED, row -> row.flag("found"), claims.jti()).orElseThrow()) {
      return Optional.empty();
    }
    return tx.one(
        PERSON,
        row ->
            new Person(
                claims,
                row.uuid("tenant_id"),
                row.text("tenant_slug"),
                row.text("email"),
                rules.operators() && row.flag("is_operator")),
        claims.userId());
  }

  private boolean matches(String password, String hash) throws InterruptedException {
    if (!checks.tryAcquire(CHECK_WAIT_SECONDS, TimeUnit.SECONDS)) {
      throw new HttpProblem(
          429, "too many attempts to log in at once", "rate_limited", CHECK_WAIT_SECONDS);
    }
    try {
      return BCrypt.verifyer().verify(password.toCharArray(), hash).verified;
    } finally {
      checks.release();
    }
  }

  private SessionTokens minting() {
    return rules.tokens().filter(SessionTokens::canMint).orElseThrow(Sessions::notConfigured);
  }

  private static HttpProblem notConfigured() {
    return new HttpProblem(503, "this cell has no key to sign sessions with", "not_configured");
  }

  private static HttpProblem forbidden(String text) {
    return new HttpProblem(403, text, "forbidden");
  }
}
