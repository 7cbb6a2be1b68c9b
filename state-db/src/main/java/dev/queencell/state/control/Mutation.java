package dev.queencell.state.control;

import dev.queencell.service.Json;
import dev.queencell.state.store.Statements;
import dev.queencell.state.store.Tx;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import tools.jackson.databind.node.ObjectNode;

/**
 * One change under way: its transaction, the audit rows it owes and what the edge must forget
 * because of it. {@link Ledger} writes both last, just before the commit.
 */
public final class Mutation {
  private static final Statements SQL = Statements.of("ledger");
  private static final String INSERT_OPERATION = SQL.named("insert_operation");
  private static final String LOCK_FEED = SQL.named("lock_feed");
  private static final String INSERT_CHANGE = SQL.named("insert_change");

  private record Operation(
      UUID tenantId, UUID clusterId, String action, String target, ObjectNode meta) {}

  private record Change(String kind, UUID clusterId, String clusterSlug, String keyHash) {}

  private final Tx tx;
  private final List<Operation> operations = new ArrayList<>();
  private final List<Change> changes = new ArrayList<>();

  Mutation(Tx tx) {
    this.tx = tx;
  }

  Tx tx() {
    return tx;
  }

  /** Notes what was done; {@code meta} never holds a secret. */
  void audit(UUID tenantId, UUID clusterId, String action, String target, ObjectNode meta) {
    operations.add(new Operation(tenantId, clusterId, action, target, meta));
  }

  void audit(UUID tenantId, UUID clusterId, String action, String target) {
    audit(tenantId, clusterId, action, target, Json.object());
  }

  /** The edge must ask again for this cluster, also if it remembers that there is none. */
  void clusterChanged(UUID id, String slug) {
    changes.add(new Change("cluster", id, slug, null));
  }

  /** The edge must ask again for this key, also if it remembers that there is none. */
  void keyChanged(UUID clusterId, String keyHash) {
    changes.add(new Change("key", clusterId, null, keyHash));
  }

  /** The edge must ask again for everything. */
  void everythingChanged() {
    changes.add(new Change("all", null, null, null));
  }

  /** Writes what is owed; answers whether the edge has something to forget. */
  boolean conclude() throws SQLException {
    for (var done : operations) {
      tx.change(
          INSERT_OPERATION,
          done.tenantId(),
          done.clusterId(),
          done.action(),
          done.target(),
          done.meta().toString());
    }
    if (changes.isEmpty()) {
      return false;
    }
    tx.run(LOCK_FEED);
    for (var change : changes) {
      tx.change(
          INSERT_CHANGE, change.kind(), change.clusterId(), change.clusterSlug(), change.keyHash());
    }
    return true;
  }
}
