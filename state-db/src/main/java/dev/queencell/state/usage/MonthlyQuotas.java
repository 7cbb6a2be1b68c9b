package dev.queencell.state.usage;

import dev.queencell.service.Json;
import dev.queencell.state.control.Ledger;
import dev.queencell.state.control.Mutation;
import dev.queencell.state.policy.EffectiveLimits;
import dev.queencell.state.policy.Limit;
import dev.queencell.state.policy.MonthlyQuota;
import dev.queencell.state.store.Row;
import dev.queencell.state.store.Statements;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;

/**
 * Decides what counts mean for the quotas of the running month (UTC). Whether a cluster is blocked
 * follows from its count and its quota wherever that is asked; kept is only what was announced:
 * each level once per cluster and month, rising only, in the outbox, and the block on the change
 * feed, both in the transaction that changed the count. Thread-safe.
 */
public final class MonthlyQuotas {
  private record Standing(
      UUID clusterId,
      String slug,
      UUID tenantId,
      Long quota,
      long msgs,
      MonthlyQuota announced,
      boolean blocked) {}

  private record Past(UUID clusterId, String month, String slug, UUID tenantId) {}

  private static final int PAGE_ROWS = 500;
  private static final UUID BEFORE_ALL = new UUID(0, 0);

  private static final Statements SQL = Statements.of("usage");
  private static final String STANDINGS = SQL.named("quotas_of_clusters");
  private static final String CLUSTERS_OF_MONTH = SQL.named("clusters_of_month");
  private static final String SET_MONTH = SQL.named("set_month");
  private static final String BLOCKED_IN_PAST = SQL.named("blocked_in_past");
  private static final String END_PAST_BLOCK = SQL.named("end_past_block");

  private final Ledger ledger;
  private final int warnPercent;

  public MonthlyQuotas(Ledger ledger, int warnPercent) {
    this.ledger = ledger;
    this.warnPercent = warnPercent;
  }

  /** Looks at every cluster that used something this month, and ends the blocks of past months. */
  public void judgeAll() {
    var after = BEFORE_ALL;
    while (after != null) {
      var from = after;
      after = ledger.write(mutation -> judgePage(mutation, from));
    }
    while (ledger.write(MonthlyQuotas::endPastBlocks) == PAGE_ROWS) {
      // A page at a time.
    }
  }

  /** Judges a cluster whose quota may have changed. */
  public void judge(UUID clusterId) {
    var _ =
        ledger.write(
            mutation -> {
              judge(mutation, new UUID[] {clusterId});
              return true;
            });
  }

  /** Judges clusters whose counts or quotas may have changed in this transaction. */
  void judge(Mutation mutation, UUID[] clusterIds) throws SQLException {
    for (var now : mutation.tx().list(STANDINGS, MonthlyQuotas::read, (Object) clusterIds)) {
      judge(mutation, now);
    }
  }

  private UUID judgePage(Mutation mutation, UUID after) throws SQLException {
    var ids =
        mutation.tx().list(CLUSTERS_OF_MONTH, row -> row.uuid("cluster_id"), after, PAGE_ROWS);
    judge(mutation, ids.toArray(UUID[]::new));
    return ids.size() == PAGE_ROWS ? ids.getLast() : null;
  }

  private void judge(Mutation mutation, Standing now) throws SQLException {
    var level = MonthlyQuota.of(now.msgs(), now.quota(), warnPercent);
    boolean blocked = level == MonthlyQuota.BLOCKED;
    boolean rises = level.compareTo(now.announced()) > 0;
    if (!rises && blocked == now.blocked()) {
      return;
    }
    var meta = Json.object().put("msgs", now.msgs()).put("monthly_msgs_quota", now.quota());
    if (rises) {
      mutation.emit(
          blocked ? "cluster_monthly_quota_blocked" : "cluster_monthly_quota_warning",
          meta.deepCopy().put("cluster_id", now.clusterId().toString()).put("slug", now.slug()));
    }
    if (blocked != now.blocked()) {
      var action = blocked ? "monthly_quota_blocked" : "monthly_quota_released";
      mutation.auditSystem(now.tenantId(), now.clusterId(), action, now.slug(), meta);
      mutation.clusterChanged(now.clusterId(), now.slug());
    }
    var announced = rises ? level : now.announced();
    mutation.tx().change(SET_MONTH, announced.wireName(), blocked, now.clusterId());
  }

  private static int endPastBlocks(Mutation mutation) throws SQLException {
    List<Past> past =
        mutation
            .tx()
            .list(
                BLOCKED_IN_PAST,
                row ->
                    new Past(
                        row.uuid("cluster_id"),
                        row.text("month"),
                        row.text("slug"),
                        row.uuid("tenant_id")),
                PAGE_ROWS);
    for (var block : past) {
      mutation.tx().change(END_PAST_BLOCK, block.clusterId(), block.month());
      mutation.auditSystem(
          block.tenantId(),
          block.clusterId(),
          "monthly_quota_released",
          block.slug(),
          Json.object().put("month", block.month()));
      mutation.clusterChanged(block.clusterId(), block.slug());
    }
    return past.size();
  }

  private static Standing read(Row row) throws SQLException {
    return new Standing(
        row.uuid("id"),
        row.text("slug"),
        row.uuid("tenant_id"),
        EffectiveLimits.one(
            Limit.MONTHLY_MSGS_QUOTA,
            row.numberOrNull("monthly_msgs_quota"),
            row.text("overrides")),
        row.number("msgs"),
        MonthlyQuota.named(row.text("announced")),
        row.flag("blocked"));
  }
}
