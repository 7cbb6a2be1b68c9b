package dev.queencell.state.control;

import dev.queencell.state.policy.Limit;
import dev.queencell.state.store.Row;
import dev.queencell.state.store.Statements;
import dev.queencell.state.store.Tx;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** The plan catalogue. Plans are seeded with the schema; nothing here makes one. */
public final class Plans {
  /**
   * A plan as it is sold.
   *
   * @param limits without the unlimited ones
   * @param features the stored JSON object
   */
  public record Plan(String code, String cellClass, Map<Limit, Long> limits, String features) {}

  /** What a cluster's row needs to know of its plan. */
  record PlanRef(UUID id, String code) {}

  private static final int LISTED_MAX = 1000;
  private static final Statements SQL = Statements.of("plans");
  private static final String LIST = SQL.named("list");
  private static final String BY_CODE = SQL.named("by_code");

  private final Ledger ledger;

  public Plans(Ledger ledger) {
    this.ledger = ledger;
  }

  public List<Plan> list() {
    return ledger.read(tx -> tx.list(LIST, Plans::read, LISTED_MAX));
  }

  static PlanRef resolve(Tx tx, String code) throws SQLException {
    return tx.one(BY_CODE, row -> new PlanRef(row.uuid("id"), row.text("code")), code)
        .orElseThrow(() -> Refusal.invalid("plan: there is no plan '" + code + "'"));
  }

  private static Plan read(Row row) throws SQLException {
    return new Plan(
        row.text("code"), row.text("cell_class"), readLimits(row), row.text("features"));
  }

  /** Reads the limit columns of a row that joins a plan; NULLs are left out. */
  public static Map<Limit, Long> readLimits(Row row) throws SQLException {
    var limits = new EnumMap<Limit, Long>(Limit.class);
    for (var limit : Limit.values()) {
      var value = row.numberOrNull(limit.column());
      if (value != null) {
        limits.put(limit, value);
      }
    }
    return limits;
  }
}
