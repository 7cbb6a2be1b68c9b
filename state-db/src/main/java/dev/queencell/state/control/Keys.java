package dev.queencell.state.control;

import dev.queencell.service.Json;
import dev.queencell.state.store.Statements;
import dev.queencell.state.store.Tx;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** API keys: issued, checked, revoked. The text of a key is never stored. */
public final class Keys {
  /**
   * What an issue asks for.
   *
   * @param keyHash of a key that the caller minted; null mints one here
   */
  public record Issue(UUID clusterId, String name, String keyHash, List<String> scopes) {}

  /**
   * What an issue gave.
   *
   * @param text the key, this once; null when it existed or the caller minted it
   */
  public record Issued(UUID id, boolean existed, String text) {
    @Override
    public String toString() {
      return "Issued[" + id + ", existed=" + existed + "]";
    }
  }

  /** Whether a key is live, and whose it is. */
  public record Checked(String keyHash, boolean valid, String clusterSlug) {}

  private record Known(UUID id, UUID clusterId, boolean revoked) {}

  private record Owned(String keyHash, boolean revoked, UUID clusterId, UUID tenantId) {}

  public static final List<String> SCOPES = List.of("produce", "consume", "admin", "read");

  private static final Statements SQL = Statements.of("keys");
  private static final String INSERT = SQL.named("insert");
  private static final String BY_HASH = SQL.named("by_hash");
  private static final String LOCK_BY_ID = SQL.named("lock_by_id");
  private static final String REVOKE = SQL.named("revoke");
  private static final String ANY_OF_CLUSTER = SQL.named("any_of_cluster");
  private static final String LIVE_BY_NAME = SQL.named("live_by_name");
  private static final String CHECK = SQL.named("check");

  private final Ledger ledger;

  public Keys(Ledger ledger) {
    this.ledger = ledger;
  }

  /** Issues a key; asking again with the same hash finds it. */
  public Issued issue(Issue wanted) {
    return ledger.write(
        mutation -> {
          var cluster = Clusters.lock(mutation.tx(), wanted.clusterId());
          var issued = issue(mutation, cluster, wanted);
          if (!issued.existed()) {
            mutation.audit(
                cluster.tenantId(),
                cluster.id(),
                "api_key_issued",
                issued.id().toString(),
                Json.object().put("name", wanted.name()));
          }
          return issued;
        });
  }

  /** Revokes a key; answers whether it already was. */
  public boolean revoke(UUID id) {
    return ledger.write(
        mutation -> {
          var key =
              mutation
                  .tx()
                  .one(
                      LOCK_BY_ID,
                      row ->
                          new Owned(
                              row.text("key_hash"),
                              row.flag("revoked"),
                              row.uuid("cluster_id"),
                              row.uuid("tenant_id")),
                      id)
                  .orElseThrow(() -> Refusal.keyUnknown(id.toString()));
          if (key.revoked()) {
            return true;
          }
          mutation.tx().change(REVOKE, id);
          mutation.audit(key.tenantId(), key.clusterId(), "api_key_revoked", id.toString());
          mutation.keyChanged(key.clusterId(), key.keyHash());
          return false;
        });
  }

  /** Looks hashes up, answering in their order. */
  public List<Checked> check(List<String> keyHashes) {
    return ledger.read(
        tx ->
            tx.list(
                CHECK,
                row ->
                    new Checked(row.text("key_hash"), row.flag("valid"), row.text("cluster_slug")),
                (Object) keyHashes.toArray(String[]::new)));
  }

  /** Issues inside a running mutation, without an audit row of its own. */
  static Issued issue(Mutation mutation, Clusters.Cluster cluster, Issue wanted)
      throws SQLException {
    if (cluster.status().equals("deleting")) {
      throw Refusal.deleting("cluster %s is being deleted".formatted(cluster.slug()));
    }
    var minted = wanted.keyHash() == null ? KeyText.mint(cluster.cellSlug()) : null;
    var hash = minted == null ? wanted.keyHash() : minted.hash();
    var scopes = wanted.scopes().toArray(String[]::new);
    var id =
        mutation.tx().one(INSERT, row -> row.uuid("id"), cluster.id(), wanted.name(), hash, scopes);
    if (id.isPresent()) {
      mutation.keyChanged(cluster.id(), hash);
      return new Issued(id.get(), false, minted == null ? null : minted.text());
    }
    return existing(mutation.tx(), cluster, hash);
  }

  /** True when the cluster has, or ever had, a key. */
  static boolean hasAny(Tx tx, UUID clusterId) throws SQLException {
    return tx.one(ANY_OF_CLUSTER, row -> row.flag("found"), clusterId).orElseThrow();
  }

  static Optional<UUID> liveByName(Tx tx, UUID clusterId, String name) throws SQLException {
    return tx.one(LIVE_BY_NAME, row -> row.uuid("id"), clusterId, name);
  }

  private static Issued existing(Tx tx, Clusters.Cluster cluster, String hash) throws SQLException {
    var known =
        tx.one(
                BY_HASH,
                row -> new Known(row.uuid("id"), row.uuid("cluster_id"), row.flag("revoked")),
                hash)
            .orElseThrow();
    if (!known.clusterId().equals(cluster.id())) {
      throw Refusal.conflict("key_hash: that key belongs to another cluster");
    }
    if (known.revoked()) {
      throw Refusal.conflict("key_hash: that key was revoked and stays so; mint another");
    }
    return new Issued(known.id(), true, null);
  }
}
