package dev.queencell.state.edge;

import dev.queencell.service.HttpProblem;
import dev.queencell.service.Json;
import dev.queencell.state.control.Plans;
import dev.queencell.state.control.Refusal;
import dev.queencell.state.policy.EffectiveLimits;
import dev.queencell.state.policy.EffectiveStatus;
import dev.queencell.state.policy.Limit;
import dev.queencell.state.policy.StorageQuota;
import dev.queencell.state.store.Database;
import dev.queencell.state.store.Row;
import dev.queencell.state.store.Statements;
import dev.queencell.state.store.Tx;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Clusters and keys as the edge sees them: merged, ready to apply. Thread-safe. */
public final class EdgeViews {
  public static final int PAGE_ROWS_MAX = 200;

  private record KeyRow(UUID id, UUID clusterId, List<String> scopes, boolean revoked) {}

  private static final String CLUSTER_BY_ID = Statements.of("edge").named("cluster_by_id");
  private static final String CLUSTER_PAGE = Statements.of("edge").named("cluster_page");
  private static final String SETTINGS = Statements.of("edge").named("settings");
  private static final String ID_OF_SLUG = Statements.of("edge").named("id_of_slug");
  private static final String KEY_BY_HASH = Statements.of("keys").named("by_hash");
  private static final String MARK_USED = Statements.of("keys").named("mark_used");

  private final Database database;

  public EdgeViews(Database database) {
    this.database = database;
  }

  /**
   * The cluster of a slug.
   *
   * @throws HttpProblem 404 {@code cluster_unknown}
   */
  public ObjectNode clusterBySlug(String slug) {
    return database.transaction(
        tx -> {
          var id =
              tx.one(ID_OF_SLUG, row -> row.uuid("id"), slug)
                  .orElseThrow(() -> Refusal.clusterUnknown(slug));
          return cluster(tx, id);
        });
  }

  /**
   * The cluster of an id.
   *
   * @throws HttpProblem 404 {@code cluster_unknown}
   */
  public ObjectNode clusterById(UUID id) {
    return database.transaction(tx -> cluster(tx, id));
  }

  /**
   * A live key and its cluster.
   *
   * @throws HttpProblem 404 {@code key_unknown}, also for a revoked key
   */
  public ObjectNode key(String hash) {
    return database.transaction(
        tx -> {
          var key =
              tx.one(KEY_BY_HASH, EdgeViews::readKey, hash)
                  .filter(found -> !found.revoked())
                  .orElseThrow(() -> Refusal.keyUnknown("of that hash"));
          var view = Json.object();
          view.put("id", key.id().toString());
          view.put("cluster_id", key.clusterId().toString());
          var scopes = view.putArray("scopes");
          key.scopes().forEach(scopes::add);
          view.set("cluster", cluster(tx, key.clusterId()));
          return view;
        });
  }

  /** The next page of clusters, by slug. */
  public List<ObjectNode> page(String afterSlug) {
    return database.transaction(
        tx -> tx.list(CLUSTER_PAGE, EdgeViews::readCluster, afterSlug, PAGE_ROWS_MAX));
  }

  /** Whether limits are enforced by all proxies; nothing leaves it to each one's own setting. */
  public Optional<Boolean> enforce() {
    return database
        .transaction(tx -> tx.one(SETTINGS, row -> row.flagIfSet("enforce")))
        .orElseThrow();
  }

  /** Notes that keys were in use just now. */
  public void markUsed(List<UUID> keyIds) {
    database.transaction(tx -> tx.change(MARK_USED, (Object) keyIds.toArray(UUID[]::new)));
  }

  private static ObjectNode cluster(Tx tx, UUID id) throws SQLException {
    return tx.one(CLUSTER_BY_ID, EdgeViews::readCluster, id)
        .orElseThrow(() -> Refusal.clusterUnknown(id.toString()));
  }

  private static ObjectNode readCluster(Row row) throws SQLException {
    var view = Json.object();
    view.put("id", row.text("id"));
    view.put("slug", row.text("slug"));
    view.put("tenant_id", row.text("tenant_id"));
    view.put("broker_tenant_uuid", row.text("broker_tenant_uuid"));
    view.put("plan_code", row.text("plan_code"));
    view.put(
        "status", EffectiveStatus.of(row.text("tenant_status"), row.text("status")).wireName());
    view.putObject("cell")
        .put("slug", row.text("cell_slug"))
        .put("base_url", row.text("base_url"))
        .put("secret", row.text("cell_secret"));
    var overrides = row.text("overrides");
    JsonNode parsed = overrides == null ? null : Json.mapper().readTree(overrides);
    var limits = EffectiveLimits.of(Plans.readLimits(row), parsed);
    EffectiveLimits.write(limits, view.putObject("limits"));
    var quota = limits.get(Limit.MONTHLY_MSGS_QUOTA);
    view.putObject("blocks")
        .put(
            "storage",
            // By the cap of now: a higher one need not wait for the next measurement.
            row.flag("storage_over")
                && StorageQuota.over(
                    true, limits.get(Limit.MAX_RETAINED_BYTES), row.number("storage_bytes")))
        .put("monthly", quota != null && row.number("month_msgs") >= quota);
    view.set("features", Json.mapper().readTree(row.text("features")));
    return view;
  }

  private static KeyRow readKey(Row row) throws SQLException {
    return new KeyRow(
        row.uuid("id"), row.uuid("cluster_id"), row.texts("scopes"), row.flag("revoked"));
  }
}
