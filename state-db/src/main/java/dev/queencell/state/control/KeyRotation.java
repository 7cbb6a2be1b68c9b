package dev.queencell.state.control;

import dev.queencell.service.HttpProblem;
import dev.queencell.service.Json;
import dev.queencell.state.store.Statements;
import java.util.UUID;

/**
 * Replaces a key by a new one with the same name and scopes, while the old one works on for an
 * overlap in which its users change over. An ended overlap revokes the old key like a call would.
 * Thread-safe.
 */
public final class KeyRotation {
  /**
   * What a rotation gave.
   *
   * @param text the new key, this once; null when it existed or the caller minted it
   * @param oldExpiresAt when the old key ends, RFC 3339
   */
  public record Rotated(UUID id, boolean existed, String text, String oldExpiresAt) {
    @Override
    public String toString() {
      return "Rotated[" + id + ", existed=" + existed + "]";
    }
  }

  private record Expired(UUID id, String keyHash, UUID clusterId, UUID tenantId) {}

  /** A month: long enough for the slowest change-over, short enough to be one. */
  public static final long OVERLAP_SECONDS_MAX = 31L * 86_400;

  private static final int EXPIRED_ROWS_MAX = 200;

  private static final Statements SQL = Statements.of("keys");
  private static final String REPLACE = SQL.named("replace");
  private static final String EXPIRED = SQL.named("expired");
  private static final String EXPIRE = SQL.named("expire");

  private final Ledger ledger;

  public KeyRotation(Ledger ledger) {
    this.ledger = ledger;
  }

  /**
   * Rotates a key. A key that was rotated answers its successor, without the text.
   *
   * @param keyHash of a key that the caller minted; null mints one here
   * @param overlapSeconds how long the old key works on; 0 revokes it in this call
   * @throws HttpProblem 404 {@code key_unknown}, 409 for a revoked key
   */
  public Rotated rotate(UUID id, String keyHash, long overlapSeconds) {
    return ledger.write(
        mutation -> {
          var old = Keys.lock(mutation.tx(), id);
          if (old.replacedBy() != null) {
            return new Rotated(old.replacedBy(), true, null, old.expiresAt());
          }
          if (old.revoked()) {
            throw Refusal.conflict("key " + id + " is revoked; issue a new one");
          }
          var cluster = Clusters.lock(mutation.tx(), old.clusterId());
          var issued =
              Keys.issue(
                  mutation,
                  cluster,
                  new Keys.Issue(cluster.id(), old.name(), keyHash, old.scopes()));
          if (issued.id().equals(id)) {
            throw Refusal.conflict("key_hash: that is the key to be rotated");
          }
          var ends =
              mutation
                  .tx()
                  .one(
                      REPLACE,
                      row -> row.text("expires_at"),
                      issued.id(),
                      (double) overlapSeconds,
                      id)
                  .orElseThrow();
          mutation.audit(
              cluster.tenantId(),
              cluster.id(),
              "api_key_rotated",
              id.toString(),
              Json.object().put("new_key", issued.id().toString()).put("old_expires_at", ends));
          if (overlapSeconds == 0) {
            Keys.revoke(mutation, id, old);
          }
          return new Rotated(issued.id(), issued.existed(), issued.text(), ends);
        });
  }

  /** Revokes the keys whose overlap has ended. */
  public void expire() {
    var _ =
        ledger.write(
            mutation -> {
              var expired =
                  mutation
                      .tx()
                      .list(
                          EXPIRED,
                          row ->
                              new Expired(
                                  row.uuid("id"),
                                  row.text("key_hash"),
                                  row.uuid("cluster_id"),
                                  row.uuid("tenant_id")),
                          EXPIRED_ROWS_MAX);
              for (var key : expired) {
                mutation.tx().change(EXPIRE, key.id());
                mutation.auditSystem(
                    key.tenantId(),
                    key.clusterId(),
                    "api_key_expired",
                    key.id().toString(),
                    Json.object());
                mutation.keyChanged(key.clusterId(), key.keyHash());
              }
              return expired.size();
            });
  }
}
