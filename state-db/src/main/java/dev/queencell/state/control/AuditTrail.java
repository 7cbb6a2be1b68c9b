package dev.queencell.state.control;

import dev.queencell.state.store.Row;
import dev.queencell.state.store.Statements;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;

/** What was done, by whom, newest first. Reads only; {@link Mutation} writes. Thread-safe. */
public final class AuditTrail {
  /** One thing that was done; {@code meta} is a JSON object. */
  public record Entry(
      String at,
      String actor,
      String actorId,
      String action,
      String target,
      UUID tenantId,
      UUID clusterId,
      String meta) {}

  public static final int ROWS_MAX = 1000;

  private static final Statements SQL = Statements.of("ledger");
  private static final String LIST = SQL.named("operations_of_tenant");

  private final Ledger ledger;

  public AuditTrail(Ledger ledger) {
    this.ledger = ledger;
  }

  /**
   * The newest entries of a tenant, also of one that is gone.
   *
   * @param slug the tenant's
   */
  public List<Entry> of(String slug, int rows) {
    return ledger.read(tx -> tx.list(LIST, AuditTrail::read, slug, slug, rows));
  }

  private static Entry read(Row row) throws SQLException {
    return new Entry(
        row.text("at"),
        row.text("actor"),
        row.text("actor_id"),
        row.text("action"),
        row.text("target"),
        row.uuid("tenant_id"),
        row.uuid("cluster_id"),
        row.text("meta"));
  }
}
