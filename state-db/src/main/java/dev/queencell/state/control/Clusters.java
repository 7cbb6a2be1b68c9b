package dev.queencell.state.control;

import dev.queencell.service.Json;
import dev.queencell.state.store.Row;
import dev.queencell.state.store.Statements;
import dev.queencell.state.store.Tx;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import tools.jackson.databind.node.ObjectNode;

/** What a customer sees as "their Queen": one slug, one plan, one cell, one queue namespace. */
public final class Clusters {
  /**
   * A cluster as the control plane shows it.
   *
   * @param overrides a JSON object, or null when none are set
   */
  public record Cluster(
      UUID id,
      String slug,
      String status,
      UUID brokerTenantUuid,
      String overrides,
      UUID tenantId,
      String tenantSlug,
      String tenantStatus,
      String planCode,
      UUID cellId,
      String cellSlug) {}

  /** A cluster and whether this call made it. */
  public record Made(Cluster cluster, boolean created) {}

  /**
   * What a creation asks for.
   *
   * @param tenantName used when the tenant is new; null takes the slug
   * @param cell slug or id; null means the only cell
   */
  public record Creation(
      String tenantSlug, String tenantName, String slug, String plan, String cell) {}

  public static final List<String> STATUSES =
      List.of("active", "push_blocked", "suspended", "deleting");

  public static final int PAGE_ROWS_MAX = 1000;

  private static final Statements SQL = Statements.of("clusters");
  private static final String INSERT = SQL.named("insert");
  private static final String LOCK_BY_SLUG = SQL.named("lock_by_slug");
  private static final String LOCK_BY_ID = SQL.named("lock_by_id");
  private static final String BY_ID = SQL.named("by_id");
  private static final String BY_SLUG = SQL.named("by_slug");
  private static final String PAGE = SQL.named("page");
  private static final String SET_STATUS = SQL.named("set_status");
  private static final String SET_PLAN = SQL.named("set_plan");
  private static final String SET_OVERRIDES = SQL.named("set_overrides");

  private final Ledger ledger;

  public Clusters(Ledger ledger) {
    this.ledger = ledger;
  }

  /** Makes a cluster, and its tenant if that is new, or finds it. */
  public Made create(Creation wanted) {
    return ledger.write(
        mutation -> {
          var tenant = Tenants.ensure(mutation, wanted.tenantSlug(), wanted.tenantName()).tenant();
          var made = ensure(mutation, tenant, wanted.slug(), wanted.plan(), wanted.cell());
          if (made.created()) {
            var cluster = made.cluster();
            mutation.audit(tenant.id(), cluster.id(), "cluster_created", cluster.slug());
          }
          return made;
        });
  }

  /** The next page of clusters, by slug, of one plan or of all. */
  public List<Cluster> page(String afterSlug, String plan, int rows) {
    return ledger.read(tx -> tx.list(PAGE, Clusters::read, afterSlug, plan, plan, rows));
  }

  public Cluster bySlug(String slug) {
    return ledger.read(
        tx ->
            tx.one(BY_SLUG, Clusters::read, slug).orElseThrow(() -> Refusal.clusterUnknown(slug)));
  }

  public Cluster byId(UUID id) {
    return ledger.read(
        tx ->
            tx.one(BY_ID, Clusters::read, id)
                .orElseThrow(() -> Refusal.clusterUnknown(id.toString())));
  }

  public Cluster setStatus(UUID id, String status) {
    return change(
        id,
        (mutation, cluster) -> {
          if (cluster.status().equals(status)) {
            return;
          }
          mutation.tx().change(SET_STATUS, status, id);
          audit(
              mutation,
              cluster,
              "cluster_status_set",
              Json.object().put("from", cluster.status()).put("to", status));
        });
  }

  public Cluster setPlan(UUID id, String planCode) {
    return change(id, (mutation, cluster) -> assignPlan(mutation, cluster, planCode));
  }

  /**
   * Replaces the overrides as a whole.
   *
   * @param overrides checked by the caller; null or empty clears them
   */
  public Cluster setOverrides(UUID id, ObjectNode overrides) {
    return change(id, (mutation, cluster) -> assignOverrides(mutation, cluster, overrides));
  }

  /** Makes or finds the cluster and holds its row until the transaction ends. */
  static Made ensure(
      Mutation mutation, Tenants.Tenant tenant, String slug, String planCode, String cellReference)
      throws SQLException {
    var tx = mutation.tx();
    var plan = Plans.resolve(tx, planCode);
    var known = tx.one(LOCK_BY_SLUG, row -> row.uuid("id"), slug);
    if (known.isEmpty()) {
      var cell = Cells.resolve(tx, cellReference);
      var made = tx.one(INSERT, row -> row.uuid("id"), slug, tenant.id(), cell.id(), plan.id());
      if (made.isPresent()) {
        mutation.clusterChanged(made.get(), slug);
        return new Made(get(tx, made.get()), true);
      }
      known = tx.one(LOCK_BY_SLUG, row -> row.uuid("id"), slug);
    }
    var cluster = get(tx, known.orElseThrow());
    refuseForeign(tx, cluster, tenant, cellReference);
    return new Made(cluster, false);
  }

  static Cluster assignPlan(Mutation mutation, Cluster cluster, String planCode)
      throws SQLException {
    var plan = Plans.resolve(mutation.tx(), planCode);
    if (plan.code().equals(cluster.planCode())) {
      return cluster;
    }
    mutation.tx().change(SET_PLAN, plan.id(), cluster.id());
    audit(
        mutation,
        cluster,
        "plan_assigned",
        Json.object().put("from", cluster.planCode()).put("to", plan.code()));
    return get(mutation.tx(), cluster.id());
  }

  static Cluster assignOverrides(Mutation mutation, Cluster cluster, ObjectNode overrides)
      throws SQLException {
    var wanted = overrides == null || overrides.isEmpty() ? null : overrides.toString();
    if (Objects.equals(normalised(cluster.overrides()), normalised(wanted))) {
      return cluster;
    }
    mutation.tx().change(SET_OVERRIDES, wanted, cluster.id());
    audit(
        mutation,
        cluster,
        "limit_overrides_set",
        Json.object().set("overrides", wanted == null ? null : overrides));
    return get(mutation.tx(), cluster.id());
  }

  /** Holds the cluster's row and reads it. */
  static Cluster lock(Tx tx, UUID id) throws SQLException {
    var locked =
        tx.one(LOCK_BY_ID, row -> row.uuid("id"), id)
            .orElseThrow(() -> Refusal.clusterUnknown(id.toString()));
    return get(tx, locked);
  }

  @FunctionalInterface
  private interface Step {
    void run(Mutation mutation, Cluster cluster) throws SQLException;
  }

  private Cluster change(UUID id, Step step) {
    return ledger.write(
        mutation -> {
          step.run(mutation, lock(mutation.tx(), id));
          return get(mutation.tx(), id);
        });
  }

  private static void audit(Mutation mutation, Cluster cluster, String action, ObjectNode meta) {
    mutation.audit(cluster.tenantId(), cluster.id(), action, cluster.slug(), meta);
    mutation.clusterChanged(cluster.id(), cluster.slug());
  }

  private static void refuseForeign(
      Tx tx, Cluster cluster, Tenants.Tenant tenant, String cellReference) throws SQLException {
    if (!cluster.tenantId().equals(tenant.id())) {
      throw Refusal.conflict(
          "cluster_slug: '%s' belongs to another tenant".formatted(cluster.slug()));
    }
    if (cluster.status().equals("deleting")) {
      throw Refusal.deleting("cluster %s is being deleted".formatted(cluster.slug()));
    }
    if (cellReference != null && !Cells.resolve(tx, cellReference).id().equals(cluster.cellId())) {
      throw Refusal.conflict(
          "cell: cluster '%s' lives on cell '%s' and can't move"
              .formatted(cluster.slug(), cluster.cellSlug()));
    }
  }

  /** JSON text with one spelling per value, so that equal overrides compare equal. */
  private static Object normalised(String overrides) {
    return overrides == null ? null : Json.mapper().readTree(overrides);
  }

  private static Cluster get(Tx tx, UUID id) throws SQLException {
    return tx.one(BY_ID, Clusters::read, id).orElseThrow();
  }

  private static Cluster read(Row row) throws SQLException {
    return new Cluster(
        row.uuid("id"),
        row.text("slug"),
        row.text("status"),
        row.uuid("broker_tenant_uuid"),
        row.text("overrides"),
        row.uuid("tenant_id"),
        row.text("tenant_slug"),
        row.text("tenant_status"),
        row.text("plan_code"),
        row.uuid("cell_id"),
        row.text("cell_slug"));
  }
}
