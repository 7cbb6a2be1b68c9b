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
  private static final String INSERT_OUTBOX = SQL.named("insert_outbox");
  private static final String INSERT_CHANGE = SQL.named("insert_change");

  private record Operation(
      Actor actor, UUID tenantId, UUID clusterId, String action, String target, ObjectNode meta) {}

  private record Change(
      String kind, UUID clusterId, String clusterSlug, String keyHash, String jti) {}

  private record Actor(String kind, String id) {}

  private static final Actor CONTROL_PLANE = new Actor("control_plane", null);
  private static final Actor SYSTEM = new Actor("system", null);

  private final Tx tx;
  private final List<Operation> operations = new ArrayList<>();
  private final List<Change> changes = new ArrayList<>();

  Mutation(Tx tx) {
    this.tx = tx;
  }

  public Tx tx() {
    return tx;
  }

  /** Notes what the control plane did; {@code meta} never holds a secret. */
  public void audit(UUID tenantId, UUID clusterId, String action, String target, ObjectNode meta) {
    operations.add(new Operation(CONTROL_PLANE, tenantId, clusterId, action, target, meta));
  }

  void audit(UUID tenantId, UUID clusterId, String action, String target) {
    audit(tenantId, clusterId, action, target, Json.object());
  }

  /** Notes what happened without anybody's call. */
  public void auditSystem(
      UUID tenantId, UUID clusterId, String action, String target, ObjectNode meta) {
    operations.add(new Operation(SYSTEM, tenantId, clusterId, action, target, meta));
  }

  /** Notes what a person did at the console, beside the control plane's own row. */
  public void auditUser(
      UUID userId, UUID tenantId, UUID clusterId, String action, String target, ObjectNode meta) {
    operations.add(
        new Operation(
            new Actor("user", userId.toString()), tenantId, clusterId, action, target, meta));
  }

  /** The edge must ask again for this cluster, also if it remembers that there is none. */
  public void clusterChanged(UUID id, String slug) {
    changes.add(new Change("cluster", id, slug, null, null));
  }

  /** The edge must ask again for this key, also if it remembers that there is none. */
  public void keyChanged(UUID clusterId, String keyHash) {
    changes.add(new Change("key", clusterId, null, keyHash, null));
  }

  /** The edge must drop this session. */
  public void sessionEnded(String jti) {
    changes.add(new Change("session", null, null, null, jti));
  }

  /** The edge must ask again for its live settings. */
  void settingsChanged() {
    changes.add(new Change("settings", null, null, null, null));
  }

  /** The edge must ask again for everything. */
  void everythingChanged() {
    changes.add(new Change("all", null, null, null, null));
  }

  /** Leaves word for whoever reads the outbox. */
  public void emit(String kind, ObjectNode payload) throws SQLException {
    tx.change(INSERT_OUTBOX, kind, payload.toString());
  }

  /** Writes what is owed; answers whether the edge has something to forget. */
  boolean conclude() throws SQLException {
    for (var done : operations) {
      tx.change(
          INSERT_OPERATION,
          done.tenantId(),
          done.clusterId(),
          done.actor().kind(),
          done.actor().id(),
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
          INSERT_CHANGE,
          change.kind(),
          change.clusterId(),
          change.clusterSlug(),
          change.keyHash(),
          change.jti());
    }
    return true;
  }
}
