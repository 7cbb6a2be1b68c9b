package dev.queencell.state.control;

import dev.queencell.service.Json;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import tools.jackson.databind.node.ObjectNode;

/**
 * A tenant with everything it needs, in one atomic call. Two calls for the same slugs at once take
 * turns on the tenant's row: both answer the same ids, and one of them the key.
 */
public final class Provisioning {
  /** A first set-up by a person: the service mints the key. Null fields are left out. */
  public record Bootstrap(
      String tenantSlug,
      String tenantName,
      String clusterSlug,
      String plan,
      String cell,
      String adminEmail,
      String password,
      String keyName) {
    @Override
    public String toString() {
      return "Bootstrap[" + tenantSlug + "/" + clusterSlug + "]";
    }
  }

  /** What a bootstrap gave; {@code apiKey} is the key's text, this once, or null. */
  public record Bootstrapped(
      Clusters.Cluster cluster,
      UUID userId,
      UUID keyId,
      String apiKey,
      Created created,
      boolean passwordSet,
      boolean canLogin) {
    @Override
    public String toString() {
      return "Bootstrapped[" + cluster.slug() + "]";
    }
  }

  /** A set-up by another system, which minted the key. Null fields are left out. */
  public record Provision(
      String tenantSlug,
      String tenantName,
      String clusterSlug,
      String plan,
      String cell,
      UUID userId,
      String email,
      String role,
      String keyName,
      String keyHash,
      List<String> scopes,
      ObjectNode overrides) {}

  /** What a provisioning gave. */
  public record Provisioned(Clusters.Cluster cluster, UUID userId, UUID keyId, Created created) {}

  /** Which parts this call made. */
  public record Created(boolean tenant, boolean cluster, boolean user, boolean key) {
    boolean any() {
      return tenant || cluster || user || key;
    }
  }

  public static final String PLAN_DEFAULT = "free";
  public static final int PASSWORD_BYTES_MIN = 8;
  public static final int PASSWORD_BYTES_MAX = 72;

  private final Ledger ledger;

  public Provisioning(Ledger ledger) {
    this.ledger = ledger;
  }

  /** See the class comment; a known cluster keeps its plan and its cell. */
  public Bootstrapped bootstrap(Bootstrap wanted) {
    refuseUnusablePassword(wanted.password());
    var hash = Users.hash(wanted.password() == null ? null : wanted.password().toCharArray());
    return ledger.write(
        mutation -> {
          var tenant = Tenants.ensure(mutation, wanted.tenantSlug(), wanted.tenantName());
          var plan = wanted.plan() == null ? PLAN_DEFAULT : wanted.plan();
          var made =
              Clusters.ensure(mutation, tenant.tenant(), wanted.clusterSlug(), plan, wanted.cell());
          var cluster = made.cluster();
          var user =
              wanted.adminEmail() == null
                  ? Users.Ensured.NOBODY
                  : Users.ensure(
                      mutation.tx(),
                      cluster,
                      new Users.Wanted(null, wanted.adminEmail(), "admin"),
                      hash);
          var key = firstKey(mutation, cluster, wanted.keyName());
          var created =
              new Created(tenant.created(), made.created(), user.created(), key.text() != null);
          audit(mutation, cluster, "tenant_bootstrapped", created, user.passwordSet());
          return new Bootstrapped(
              cluster,
              user.id(),
              key.id(),
              key.text(),
              created,
              user.passwordSet(),
              user.canLogin());
        });
  }

  /** Like {@link #bootstrap}, but also brings plan and overrides to what the caller states. */
  public Provisioned provision(Provision wanted) {
    return ledger.write(
        mutation -> {
          var tenant = Tenants.ensure(mutation, wanted.tenantSlug(), wanted.tenantName());
          var plan = wanted.plan() == null ? PLAN_DEFAULT : wanted.plan();
          var made =
              Clusters.ensure(mutation, tenant.tenant(), wanted.clusterSlug(), plan, wanted.cell());
          var cluster = made.cluster();
          if (wanted.plan() != null) {
            cluster = Clusters.assignPlan(mutation, cluster, wanted.plan());
          }
          if (wanted.overrides() != null) {
            cluster = Clusters.assignOverrides(mutation, cluster, wanted.overrides());
          }
          var user =
              wanted.email() == null
                  ? Users.Ensured.NOBODY
                  : Users.ensure(
                      mutation.tx(),
                      cluster,
                      new Users.Wanted(wanted.userId(), wanted.email(), wanted.role()),
                      null);
          var key =
              wanted.keyHash() == null
                  ? new Keys.Issued(null, true, null)
                  : Keys.issue(
                      mutation,
                      cluster,
                      new Keys.Issue(
                          cluster.id(), wanted.keyName(), wanted.keyHash(), wanted.scopes()));
          var created =
              new Created(tenant.created(), made.created(), user.created(), !key.existed());
          audit(mutation, cluster, "tenant_provisioned", created, false);
          return new Provisioned(cluster, user.id(), key.id(), created);
        });
  }

  /** Mints a key for a cluster that never had one; else finds the live one of that name. */
  private static Keys.Issued firstKey(Mutation mutation, Clusters.Cluster cluster, String name)
      throws SQLException {
    if (!Keys.hasAny(mutation.tx(), cluster.id())) {
      return Keys.issue(mutation, cluster, new Keys.Issue(cluster.id(), name, null, Keys.SCOPES));
    }
    var known = Keys.liveByName(mutation.tx(), cluster.id(), name).orElse(null);
    return new Keys.Issued(known, true, null);
  }

  private static void audit(
      Mutation mutation,
      Clusters.Cluster cluster,
      String action,
      Created created,
      boolean passwordSet) {
    if (!created.any() && !passwordSet) {
      return;
    }
    mutation.audit(
        cluster.tenantId(),
        cluster.id(),
        action,
        cluster.slug(),
        Json.object()
            .put("tenant", created.tenant())
            .put("cluster", created.cluster())
            .put("user", created.user())
            .put("key", created.key())
            .put("password_set", passwordSet));
  }

  static void refuseUnusablePassword(String password) {
    if (password == null) {
      return;
    }
    int bytes = Users.lengthBytes(password);
    if (bytes < PASSWORD_BYTES_MIN || bytes > PASSWORD_BYTES_MAX) {
      throw Refusal.invalid(
          "password is %d bytes; it takes %d to %d"
              .formatted(bytes, PASSWORD_BYTES_MIN, PASSWORD_BYTES_MAX));
    }
  }
}
