package dev.queencell.state.usage;

import dev.queencell.service.HttpProblem;
import dev.queencell.service.Json;
import dev.queencell.state.control.Ledger;
import dev.queencell.state.control.Mutation;
import dev.queencell.state.control.Refusal;
import dev.queencell.state.policy.EffectiveLimits;
import dev.queencell.state.policy.Limit;
import dev.queencell.state.policy.StorageQuota;
import dev.queencell.state.store.Row;
import dev.queencell.state.store.Statements;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;

/**
 * What a cluster keeps at its broker, as the edge last saw it: queues, and whether the bytes block
 * its pushes. Reports about one cluster take turns on its row, so that several proxies may send
 * them; the block is kept, and announced when it changes. Thread-safe.
 */
public final class Storage {
  /** A queue and how many partitions it has. */
  public record Queue(String name, long partitions) {}

  /**
   * What a poll of the broker showed.
   *
   * @param retainedBytes null when the broker did not say
   * @param complete false: there are more queues than these
   */
  public record Inventory(Long retainedBytes, boolean complete, List<Queue> queues) {}

  private record Known(UUID id, String slug, UUID tenantId, Long capBytes, boolean over) {}

  public static final int QUEUES_MAX = 10_000;

  private static final Statements SQL = Statements.of("storage");
  private static final String CLUSTER = SQL.named("cluster_for_update");
  private static final String SET_STATE = SQL.named("set_state");
  private static final String PUT_QUEUES = SQL.named("put_queues");
  private static final String DROP_OTHER_QUEUES = SQL.named("drop_other_queues");
  private static final String QUEUES = SQL.named("queues");

  private final Ledger ledger;

  public Storage(Ledger ledger) {
    this.ledger = ledger;
  }

  /**
   * Takes a report in.
   *
   * @throws HttpProblem 404 {@code cluster_unknown}
   */
  public void report(UUID clusterId, Inventory seen) {
    var _ =
        ledger.write(
            mutation -> {
              var known =
                  mutation
                      .tx()
                      .one(CLUSTER, Storage::read, clusterId)
                      .orElseThrow(() -> Refusal.clusterUnknown(clusterId.toString()));
              if (seen.retainedBytes() != null) {
                judge(mutation, known, seen.retainedBytes());
              }
              putQueues(mutation, clusterId, seen);
              return true;
            });
  }

  /** The queues of a cluster that the edge last saw. */
  public List<Queue> queues(UUID clusterId) {
    return ledger.read(
        tx ->
            tx.list(
                QUEUES,
                row -> new Queue(row.text("name"), row.number("partitions_count")),
                clusterId,
                QUEUES_MAX));
  }

  private static void judge(Mutation mutation, Known known, long measuredBytes)
      throws SQLException {
    boolean over = StorageQuota.over(known.over(), known.capBytes(), measuredBytes);
    mutation.tx().change(SET_STATE, known.id(), measuredBytes, over);
    if (over == known.over()) {
      return;
    }
    mutation.auditSystem(
        known.tenantId(),
        known.id(),
        over ? "storage_quota_blocked" : "storage_quota_released",
        known.slug(),
        Json.object()
            .put("retained_bytes", measuredBytes)
            .put("max_retained_bytes", known.capBytes()));
    mutation.clusterChanged(known.id(), known.slug());
  }

  private static void putQueues(Mutation mutation, UUID clusterId, Inventory seen)
      throws SQLException {
    var names = seen.queues().stream().map(Queue::name).toArray(String[]::new);
    if (names.length > 0) {
      var partitions = seen.queues().stream().map(Queue::partitions).toArray(Long[]::new);
      mutation.tx().change(PUT_QUEUES, clusterId, names, partitions);
    }
    if (seen.complete()) {
      mutation.tx().change(DROP_OTHER_QUEUES, clusterId, names);
    }
  }

  private static Known read(Row row) throws SQLException {
    return new Known(
        row.uuid("id"),
        row.text("slug"),
        row.uuid("tenant_id"),
        EffectiveLimits.one(
            Limit.MAX_RETAINED_BYTES,
            row.numberOrNull("max_retained_bytes"),
            row.text("overrides")),
        row.flag("over_quota"));
  }
}
