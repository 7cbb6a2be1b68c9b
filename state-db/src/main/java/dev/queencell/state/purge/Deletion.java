package dev.queencell.state.purge;

import dev.queencell.service.HttpProblem;
import dev.queencell.service.Json;
import dev.queencell.state.control.Ledger;
import dev.queencell.state.control.Mutation;
import dev.queencell.state.store.Row;
import dev.queencell.state.store.Statements;
import dev.queencell.state.store.Tx;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import tools.jackson.databind.node.ObjectNode;

/**
 * Deletes tenants in three calls that can each be repeated: the status {@code deleting} shuts the
 * edge, a purge empties the brokers ({@link Purger} does the work), a deletion removes the rows.
 * Thread-safe.
 */
public final class Deletion {
  /** How far the purge of one cluster is. */
  public record Progress(
      UUID clusterId,
      String slug,
      UUID brokerTenantUuid,
      boolean started,
      boolean done,
      long queuesDeleted,
      long partitionsDeleted,
      String lastError) {}

  /** How far a tenant's purge is; of an unknown tenant there is nothing left. */
  public record Purge(boolean existed, List<Progress> clusters) {
    public boolean done() {
      return clusters.stream().allMatch(Progress::done);
    }
  }

  private record Tenant(UUID id, String status) {}

  private record Key(UUID clusterId, String hash) {}

  /** What everybody shares where tenancy is off; its data is not one tenant's. */
  private static final UUID SYSTEM_TENANT = new UUID(0, 1);

  private static final Statements SQL = Statements.of("purges");
  private static final String PROGRESS = SQL.named("progress_of_tenant");
  private static final String BEGIN = SQL.named("begin");
  private static final String KEYS = SQL.named("live_keys_of_tenant");
  private static final String DELETE_CLUSTERS = SQL.named("delete_clusters");
  private static final String DELETE_USERS = SQL.named("delete_users");
  private static final String DELETE_TENANT = SQL.named("delete_tenant");
  private static final String LOCK_TENANT = Statements.of("tenants").named("lock");

  private final Ledger ledger;

  public Deletion(Ledger ledger) {
    this.ledger = ledger;
  }

  /**
   * Begins the purge of a tenant, unless it was begun, and says how far it is.
   *
   * @throws HttpProblem 409 {@code not_deleting} or {@code system_tenant}
   */
  public Purge purge(String slug) {
    return ledger.write(
        mutation -> {
          var tenant = lock(mutation.tx(), slug);
          if (tenant.isEmpty()) {
            return new Purge(false, List.of());
          }
          refuseUnlessDeleting(slug, tenant.get());
          var before = progress(mutation.tx(), tenant.get());
          refuseSystemTenant(before);
          if (before.stream().allMatch(Progress::started)) {
            return new Purge(true, before);
          }
          mutation.tx().change(BEGIN, tenant.get().id());
          mutation.audit(tenant.get().id(), null, "tenant_purge_begun", slug, clusters(before));
          return new Purge(true, progress(mutation.tx(), tenant.get()));
        });
  }

  /**
   * Removes a tenant's rows; usage and audit rows stay.
   *
   * @param force also where the purge has not ended, or was never begun
   * @return the clusters that are gone; nothing when there was no such tenant
   * @throws HttpProblem 409 {@code not_deleting}, {@code not_purged} or {@code system_tenant}
   */
  public Optional<List<Progress>> delete(String slug, boolean force) {
    return ledger.write(
        mutation -> {
          var tenant = lock(mutation.tx(), slug);
          if (tenant.isEmpty()) {
            return Optional.empty();
          }
          refuseUnlessDeleting(slug, tenant.get());
          var clusters = progress(mutation.tx(), tenant.get());
          refuseSystemTenant(clusters);
          if (!force && !clusters.stream().allMatch(Progress::done)) {
            throw new HttpProblem(
                409,
                "tenant %s is not purged yet; its messages would stay at the broker"
                    .formatted(slug),
                "not_purged");
          }
          delete(mutation, tenant.get(), clusters);
          mutation.audit(
              tenant.get().id(),
              null,
              "tenant_deleted",
              slug,
              clusters(clusters).put("forced", force));
          return Optional.of(clusters);
        });
  }

  private static void delete(Mutation mutation, Tenant tenant, List<Progress> clusters)
      throws SQLException {
    var tx = mutation.tx();
    for (var key :
        tx.list(KEYS, row -> new Key(row.uuid("cluster_id"), row.text("key_hash")), tenant.id())) {
      mutation.keyChanged(key.clusterId(), key.hash());
    }
    clusters.forEach(cluster -> mutation.clusterChanged(cluster.clusterId(), cluster.slug()));
    tx.change(DELETE_CLUSTERS, tenant.id());
    tx.change(DELETE_USERS, tenant.id());
    tx.change(DELETE_TENANT, tenant.id());
  }

  private static Optional<Tenant> lock(Tx tx, String slug) throws SQLException {
    return tx.one(LOCK_TENANT, row -> new Tenant(row.uuid("id"), row.text("status")), slug);
  }

  private static List<Progress> progress(Tx tx, Tenant tenant) throws SQLException {
    return tx.list(PROGRESS, Deletion::read, tenant.id());
  }

  private static void refuseUnlessDeleting(String slug, Tenant tenant) {
    if (!tenant.status().equals("deleting")) {
      throw new HttpProblem(
          409,
          "tenant %s is %s; set its status to deleting first".formatted(slug, tenant.status()),
          "not_deleting");
    }
  }

  private static void refuseSystemTenant(List<Progress> clusters) {
    if (clusters.stream().anyMatch(cluster -> cluster.brokerTenantUuid().equals(SYSTEM_TENANT))) {
      throw new HttpProblem(
          409, "the tenant owns the namespace that is shared without tenancy", "system_tenant");
    }
  }

  private static ObjectNode clusters(List<Progress> clusters) {
    var meta = Json.object();
    var list = meta.putArray("clusters");
    for (var cluster : clusters) {
      list.addObject()
          .put("id", cluster.clusterId().toString())
          .put("slug", cluster.slug())
          .put("broker_tenant_uuid", cluster.brokerTenantUuid().toString());
    }
    return meta;
  }

  private static Progress read(Row row) throws SQLException {
    return new Progress(
        row.uuid("id"),
        row.text("slug"),
        row.uuid("broker_tenant_uuid"),
        row.flag("started"),
        row.flag("done"),
        row.number("queues_deleted"),
        row.number("partitions_deleted"),
        row.text("last_error"));
  }
}
