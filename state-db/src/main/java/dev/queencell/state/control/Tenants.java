package dev.queencell.state.control;

import dev.queencell.service.Json;
import dev.queencell.state.store.Row;
import dev.queencell.state.store.Statements;
import dev.queencell.state.store.Tx;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;

/** Organisations: they own clusters and users. */
public final class Tenants {
  /** A tenant's row. */
  public record Tenant(UUID id, String slug, String name, String status) {}

  /** A tenant and whether this call made it. */
  public record Made(Tenant tenant, boolean created) {}

  /** What a caller needs to reach a cluster of a tenant. */
  public record ClusterRef(UUID id, String slug, UUID brokerTenantUuid) {}

  /** A tenant and its clusters. */
  public record Overview(Tenant tenant, List<ClusterRef> clusters) {}

  /** A tenant and the clusters that its status reaches. */
  public record StatusSet(UUID tenantId, List<ClusterRef> clusters) {}

  public static final List<String> STATUSES = List.of("active", "grace", "suspended", "deleting");

  public static final int PAGE_ROWS_MAX = 1000;

  private static final Statements SQL = Statements.of("tenants");
  private static final String INSERT = SQL.named("insert");
  private static final String LOCK = SQL.named("lock");
  private static final String SET_STATUS = SQL.named("set_status");
  private static final String PAGE = SQL.named("page");
  private static final String BY_SLUG = SQL.named("by_slug");
  private static final String PURGE_BEGUN = SQL.named("purge_begun");
  private static final String CLUSTERS = Statements.of("clusters").named("of_tenant");

  private final Ledger ledger;

  public Tenants(Ledger ledger) {
    this.ledger = ledger;
  }

  /** Makes a tenant or finds it; the name of a known one stays. */
  public Made create(String slug, String name) {
    return ledger.write(
        mutation -> {
          var made = ensure(mutation, slug, name);
          if (made.created()) {
            mutation.audit(made.tenant().id(), null, "tenant_created", slug);
          }
          return made;
        });
  }

  /** The next page of tenants, by slug. */
  public List<Tenant> page(String afterSlug) {
    return ledger.read(tx -> tx.list(PAGE, Tenants::read, afterSlug, PAGE_ROWS_MAX));
  }

  /** A tenant and its clusters. */
  public Overview bySlug(String slug) {
    return ledger.read(
        tx -> {
          var tenant =
              tx.one(BY_SLUG, Tenants::read, slug).orElseThrow(() -> Refusal.tenantUnknown(slug));
          return new Overview(tenant, tx.list(CLUSTERS, Tenants::readRef, tenant.id()));
        });
  }

  /** Sets the status; takes effect at the edge as soon as it follows the change feed. */
  public StatusSet setStatus(String slug, String status) {
    return ledger.write(
        mutation -> {
          var tenant =
              mutation
                  .tx()
                  .one(LOCK, Tenants::read, slug)
                  .orElseThrow(() -> Refusal.tenantUnknown(slug));
          var clusters = mutation.tx().list(CLUSTERS, Tenants::readRef, tenant.id());
          if (!tenant.status().equals(status)) {
            refuseAfterPurge(mutation.tx(), tenant);
            mutation.tx().change(SET_STATUS, status, tenant.id());
            mutation.audit(
                tenant.id(),
                null,
                "tenant_status_set",
                slug,
                Json.object().put("from", tenant.status()).put("to", status));
            clusters.forEach(cluster -> mutation.clusterChanged(cluster.id(), cluster.slug()));
          }
          return new StatusSet(tenant.id(), clusters);
        });
  }

  /** Makes or finds the tenant and holds its row until the transaction ends. */
  static Made ensure(Mutation mutation, String slug, String name) throws SQLException {
    var made = mutation.tx().one(INSERT, Tenants::read, slug, name == null ? slug : name);
    if (made.isPresent()) {
      return new Made(made.get(), true);
    }
    var known = mutation.tx().one(LOCK, Tenants::read, slug).orElseThrow();
    if (known.status().equals("deleting")) {
      throw Refusal.deleting("tenant %s is being deleted".formatted(slug));
    }
    return new Made(known, false);
  }

  /** What was deleted can't be served again. */
  private static void refuseAfterPurge(Tx tx, Tenant tenant) throws SQLException {
    if (tx.one(PURGE_BEGUN, row -> row.flag("found"), tenant.id()).orElseThrow()) {
      throw Refusal.deleting(
          "the messages of tenant %s are being deleted".formatted(tenant.slug()));
    }
  }

  private static ClusterRef readRef(Row row) throws SQLException {
    return new ClusterRef(row.uuid("id"), row.text("slug"), row.uuid("broker_tenant_uuid"));
  }

  private static Tenant read(Row row) throws SQLException {
    return new Tenant(row.uuid("id"), row.text("slug"), row.text("name"), row.text("status"));
  }
}
