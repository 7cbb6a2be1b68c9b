package dev.queencell.state.control;

import at.favre.lib.crypto.bcrypt.BCrypt;
import dev.queencell.service.HttpProblem;
import dev.queencell.state.store.Statements;
import dev.queencell.state.store.Tx;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** People of a tenant and their roles on clusters. */
final class Users {
  /** What a call asks for; a null id has one chosen. */
  record Wanted(UUID id, String email, String role) {}

  /**
   * What came of it.
   *
   * @param passwordSet by this call
   * @param canLogin with a password or a verified identity
   */
  record Ensured(UUID id, boolean created, boolean passwordSet, boolean canLogin) {
    static final Ensured NOBODY = new Ensured(null, false, false, false);
  }

  private record Known(UUID id, UUID tenantId, boolean hasPassword) {}

  /** 2^10 rounds: about 50 ms, which is the point. */
  private static final int BCRYPT_COST = 10;

  private static final Semaphore HASHING_TURNS = new Semaphore(1, true);
  private static final long HASHING_WAIT_SECONDS = 30;

  private static final Statements SQL = Statements.of("tenants");
  private static final String INSERT = SQL.named("insert_user");
  private static final String BY_EMAIL = SQL.named("user_by_email");
  private static final String SET_PASSWORD = SQL.named("set_password");
  private static final String HAS_IDENTITY = SQL.named("has_identity");
  private static final String GRANT_ROLE = SQL.named("grant_role");

  private Users() {}

  /**
   * Makes or finds the user and gives it the role on the cluster. A password of a known user is
   * only set where there was none: a repeated call must not undo a change made since.
   *
   * @param hash the bcrypt hash of the wanted password, or null; made outside the transaction
   */
  static Ensured ensure(Tx tx, Clusters.Cluster cluster, Wanted wanted, String hash)
      throws SQLException {
    var id = wanted.id() == null ? UUID.randomUUID() : wanted.id();
    var made = tx.one(INSERT, row -> row.uuid("id"), id, cluster.tenantId(), wanted.email(), hash);
    if (made.isPresent()) {
      grant(tx, made.get(), cluster, wanted.role());
      return new Ensured(made.get(), true, hash != null, hash != null);
    }
    var known =
        tx.one(
                BY_EMAIL,
                row -> new Known(row.uuid("id"), row.uuid("tenant_id"), row.flag("has_password")),
                wanted.email())
            .orElseThrow(() -> Refusal.conflict("user_id: that id belongs to another email"));
    if (!known.tenantId().equals(cluster.tenantId())) {
      throw Refusal.conflict("email: that address belongs to another tenant");
    }
    if (wanted.id() != null && !wanted.id().equals(known.id())) {
      throw Refusal.conflict("user_id: that email has another id");
    }
    boolean sets = hash != null && !known.hasPassword();
    if (sets) {
      tx.change(SET_PASSWORD, hash, known.id());
    }
    grant(tx, known.id(), cluster, wanted.role());
    return new Ensured(known.id(), false, sets, sets || canLogin(tx, known));
  }

  /**
   * Hashes slowly, on purpose; call it while no transaction is open. Waits for its turn, so that
   * many calls at once leave the processors to those who need no hash.
   *
   * @throws HttpProblem 503 {@code unavailable} when the turn does not come
   */
  static String hash(char[] password) {
    if (password == null) {
      return null;
    }
    if (!await(HASHING_TURNS)) {
      throw new HttpProblem(503, "too many passwords to hash at once; try again", "unavailable");
    }
    try {
      return BCrypt.withDefaults().hashToString(BCRYPT_COST, password);
    } finally {
      HASHING_TURNS.release();
    }
  }

  private static boolean await(Semaphore turns) {
    try {
      return turns.tryAcquire(HASHING_WAIT_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** What bcrypt looks at; the rest of a longer password would count for nothing. */
  static int lengthBytes(String password) {
    return password.getBytes(StandardCharsets.UTF_8).length;
  }

  private static boolean canLogin(Tx tx, Known known) throws SQLException {
    return known.hasPassword()
        || tx.one(HAS_IDENTITY, row -> row.flag("found"), known.id()).orElseThrow();
  }

  private static void grant(Tx tx, UUID userId, Clusters.Cluster cluster, String role)
      throws SQLException {
    tx.change(GRANT_ROLE, userId, cluster.id(), role);
  }
}
