package dev.queencell.state.control;

import dev.queencell.service.Json;
import dev.queencell.state.store.Row;
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

  /** A key as it is shown; times are RFC 3339 texts, null where they never came. */
  public record Listed(
      UUID id,
      String name,
      List<String> scopes,
      UUID replacedBy,
      String createdAt,
      String lastUsedAt,
      String expiresAt,
      String revokedAt) {}

  public static final int LISTED_MAX = 1000;

  private record Known(UUID id, UUID clusterId, boolean revoked) {}

  /** A key and whose it is, its row held. */
  record Owned(
      String name,
      String keyHash,
      List<String> scopes,
      boolean revoked,
      UUID replacedBy,
      String expiresAt,
      UUID clusterId,
      UUID tenantId) {}

  public static final List<String> SCOPES = List.of("produce", "consume", "admin", "read");

  private static final Statements SQL = Statements.of("keys");
  private static final String INSERT = SQL.named("insert");
  private static final String BY_HASH = SQL.named("by_hash");
  private static final String LOCK_BY_ID = SQL.named("lock_by_id");
  private static final String REVOKE = SQL.named("revoke");
  private static final String ANY_OF_CLUSTER = SQL.named("any_of_cluster");
  private static final String LIVE_BY_NAME = SQL.named("live_by_name");
  private static final String OF_CLUSTER = SQL.named("of_cluster");
  private static final String CHECK = SQL.named("check");

  private final Ledger ledger;

  public Keys(Ledger ledger) {
    this.ledger = ledger;
  }

  /** Whether a text can be a key that was minted here: its form and its checksum are right. */
  public static boolean isWellFormed(String text) {
    return KeyText.isWellFormed(text);
  }

  /** Every key that a cluster has or had, oldest first, at most {@link #LISTED_MAX}. */
  public List<Listed> list(UUID clusterId) {
    return ledger.read(tx -> tx.list(OF_CLUSTER, Keys::readListed, clusterId, LISTED_MAX));
  }

  /** What a key is known by: the lower-case hex SHA-256 of its text. */
  public static String hash(String text) {
    return KeyText.sha256(text);
  }

  /** Issues a key; asking again with the same hash finds it. */
  public Issued issue(Issue wanted) {
    return issue(wanted, Optional.empty());
  }

  /** The same, by a person at the console or by nobody. */
  public Issued issue(Issue wanted, Optional<UUID> by) {
    return ledger.write(
        mutation -> {
          var cluster = Clusters.lock(mutation.tx(), wanted.clusterId());
          var issued = issue(mutation, cluster, wanted);
          if (!issued.existed()) {
            var meta = Json.object().put("name", wanted.name());
            var id = issued.id().toString();
            mutation.audit(cluster.tenantId(), cluster.id(), "api_key_issued", id, meta);
            by.ifPresent(
                person ->
                    mutation.auditUser(
                        person,
                        cluster.tenantId(),
                        cluster.id(),
                        "console_api_key_issued",
                        id,
                        meta));
          }
          return issued;
        });
  }

  /** Revokes a key; answers whether it already was. */
  public boolean revoke(UUID id) {
    return ledger.write(
        mutation -> {
          var key = lock(mutation.tx(), id);
          if (key.revoked()) {
            return true;
          }
          revoke(mutation, id, key);
          return false;
        });
  }

  /**
   * Revokes a key of one cluster for a person at the console.
   *
   * @return false where the cluster has no such live key
   */
  public boolean revokeOf(UUID clusterId, UUID id, UUID by) {
    return ledger.write(
        mutation -> {
          var key = mutation.tx().one(LOCK_BY_ID, Keys::readOwned, id);
          if (key.isEmpty() || key.get().revoked() || !key.get().clusterId().equals(clusterId)) {
            return false;
          }
          revoke(mutation, id, key.get());
          mutation.auditUser(
              by,
              key.get().tenantId(),
              clusterId,
              "console_api_key_revoked",
              id.toString(),
              Json.object());
          return true;
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

  static Owned lock(Tx tx, UUID id) throws SQLException {
    return tx.one(LOCK_BY_ID, Keys::readOwned, id)
        .orElseThrow(() -> Refusal.keyUnknown(id.toString()));
  }

  static void revoke(Mutation mutation, UUID id, Owned key) throws SQLException {
    mutation.tx().change(REVOKE, id);
    mutation.audit(key.tenantId(), key.clusterId(), "api_key_revoked", id.toString());
    mutation.keyChanged(key.clusterId(), key.keyHash());
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

  private static Owned readOwned(Row row) throws SQLException {
    return new Owned(
        row.text("name"),
        row.text("key_hash"),
        row.texts("scopes"),
        row.flag("revoked"),
        row.uuid("replaced_by"),
        row.text("expires_at"),
        row.uuid("cluster_id"),
        row.uuid("tenant_id"));
  }

  private static Listed readListed(Row row) throws SQLException {
    return new Listed(
        row.uuid("id"),
        row.text("name"),
        row.texts("scopes"),
        row.uuid("replaced_by"),
        row.text("created_at"),
        row.text("last_used_at"),
        row.text("expires_at"),
        row.text("revoked_at"));
  }
}
