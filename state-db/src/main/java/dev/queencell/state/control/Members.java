package dev.queencell.state.control;

import dev.queencell.service.HttpProblem;
import dev.queencell.service.Json;
import dev.queencell.state.store.Row;
import dev.queencell.state.store.Statements;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * People's roles on clusters, and their accounts. A cluster that has an admin keeps one: who takes
 * the last one away is refused. Thread-safe.
 */
public final class Members {
  /** A person with a role on a cluster. */
  public record Member(UUID userId, String email, String role) {}

  /** An account. */
  public record Account(UUID id, UUID tenantId, String email, boolean operator) {}

  public static final List<String> ROLES = List.of("admin", "producer", "consumer", "viewer");

  public static final int LISTED_MAX = 1000;

  private static final Statements SQL = Statements.of("members");
  private static final String LIST = SQL.named("list");
  private static final String USER_OF_TENANT = SQL.named("user_of_tenant");
  private static final String ROLE_FOR_UPDATE = SQL.named("role_for_update");
  private static final String OTHER_ADMINS = SQL.named("other_admins");
  private static final String REMOVE = SQL.named("remove");
  private static final String INSERT_USER = Statements.of("tenants").named("insert_user");
  private static final String GRANT = Statements.of("tenants").named("grant_role");
  private static final String USER_BY_EMAIL = SQL.named("user_by_email");
  private static final String SET_OPERATOR = SQL.named("set_operator");
  private static final String TENANT = Statements.of("tenants").named("lock");

  private final Ledger ledger;

  public Members(Ledger ledger) {
    this.ledger = ledger;
  }

  /** Who has a role on a cluster, by email. */
  public List<Member> list(UUID clusterId) {
    return ledger.read(
        tx ->
            tx.list(
                LIST,
                row -> new Member(row.uuid("id"), row.text("email"), row.text("role")),
                clusterId,
                LISTED_MAX));
  }

  /**
   * Makes an account of a tenant, without a role anywhere, or finds it.
   *
   * @param password null for none yet
   */
  public UUID createUser(String tenantSlug, String email, String password) {
    Provisioning.refuseUnusablePassword(password);
    var hash = Users.hash(password == null ? null : password.toCharArray());
    return ledger.write(
        mutation -> {
          var tx = mutation.tx();
          var tenant =
              tx.one(TENANT, row -> row.uuid("id"), tenantSlug)
                  .orElseThrow(() -> Refusal.tenantUnknown(tenantSlug));
          var made =
              tx.one(INSERT_USER, row -> row.uuid("id"), UUID.randomUUID(), tenant, email, hash);
          if (made.isPresent()) {
            mutation.audit(tenant, null, "user_created", made.get().toString());
            return made.get();
          }
          return tx.one(USER_OF_TENANT, Members::readId, tenant, email)
              .orElseThrow(() -> Refusal.conflict("email: that address belongs to another tenant"));
        });
  }

  /**
   * Gives a role, or changes it.
   *
   * @param by who did it at the console, or nobody
   * @throws HttpProblem 404 {@code not_found} for an unknown or a foreign email alike, 400 when it
   *     would leave no admin
   */
  public void grant(UUID clusterId, String email, String role, Optional<UUID> by) {
    var _ =
        ledger.write(
            mutation -> {
              var cluster = Clusters.lock(mutation.tx(), clusterId);
              var user = user(mutation, cluster, email);
              var was = role(mutation, user, clusterId);
              if (was.filter(role::equals).isPresent()) {
                return true;
              }
              if (was.filter("admin"::equals).isPresent()) {
                refuseLastAdmin(mutation, user, clusterId, "demote");
              }
              mutation.tx().change(GRANT, user, clusterId, role);
              note(mutation, cluster, "member_granted", user, role, by);
              return true;
            });
  }

  /**
   * Takes a role away.
   *
   * @throws HttpProblem 404 {@code not_found} where there is none, 400 when it would leave no admin
   */
  public void remove(UUID clusterId, String email, Optional<UUID> by) {
    var _ =
        ledger.write(
            mutation -> {
              var cluster = Clusters.lock(mutation.tx(), clusterId);
              var user = user(mutation, cluster, email);
              var was =
                  role(mutation, user, clusterId)
                      .orElseThrow(() -> notFound("'%s' has no role on this cluster", email));
              if (was.equals("admin")) {
                refuseLastAdmin(mutation, user, clusterId, "remove");
              }
              mutation.tx().change(REMOVE, user, clusterId);
              note(mutation, cluster, "member_revoked", user, was, by);
              return true;
            });
  }

  /** Makes somebody an operator of the whole cell, or no longer. */
  public void setOperator(String email, boolean enabled) {
    var _ =
        ledger.write(
            mutation -> {
              var user =
                  mutation
                      .tx()
                      .one(USER_BY_EMAIL, Members::readAccount, email)
                      .orElseThrow(() -> nobody(email));
              if (user.operator() != enabled) {
                mutation.tx().change(SET_OPERATOR, enabled, user.id());
                mutation.audit(
                    user.tenantId(),
                    null,
                    "operator_set",
                    user.id().toString(),
                    Json.object().put("enabled", enabled));
                mutation.everythingChanged();
              }
              return true;
            });
  }

  private static void note(
      Mutation mutation,
      Clusters.Cluster cluster,
      String action,
      UUID user,
      String role,
      Optional<UUID> by) {
    var meta = Json.object().put("role", role);
    mutation.audit(cluster.tenantId(), cluster.id(), action, user.toString(), meta);
    by.ifPresent(
        person ->
            mutation.auditUser(
                person,
                cluster.tenantId(),
                cluster.id(),
                "console_" + action,
                user.toString(),
                meta));
    mutation.clusterChanged(cluster.id(), cluster.slug());
  }

  private static UUID user(Mutation mutation, Clusters.Cluster cluster, String email)
      throws SQLException {
    return mutation
        .tx()
        .one(USER_OF_TENANT, Members::readId, cluster.tenantId(), email)
        .orElseThrow(() -> nobody(email));
  }

  private static Optional<String> role(Mutation mutation, UUID user, UUID clusterId)
      throws SQLException {
    return mutation.tx().one(ROLE_FOR_UPDATE, row -> row.text("role"), user, clusterId);
  }

  private static void refuseLastAdmin(Mutation mutation, UUID user, UUID clusterId, String verb)
      throws SQLException {
    long others =
        mutation.tx().one(OTHER_ADMINS, row -> row.number("others"), clusterId, user).orElseThrow();
    if (others == 0) {
      throw new HttpProblem(
          400, "cannot %s the last admin of this cluster".formatted(verb), "invalid_request");
    }
  }

  /** The same for one that is unknown and one of another tenant, which is nobody's business. */
  private static HttpProblem nobody(String email) {
    return notFound("there is no account '%s' here; it has to be made first", email);
  }

  private static HttpProblem notFound(String text, String email) {
    return new HttpProblem(404, "email: " + text.formatted(email), "not_found");
  }

  private static UUID readId(Row row) throws SQLException {
    return row.uuid("id");
  }

  private static Account readAccount(Row row) throws SQLException {
    return new Account(
        row.uuid("id"), row.uuid("tenant_id"), row.text("email"), row.flag("is_operator"));
  }
}
