package dev.queencell.state.control;

import dev.queencell.service.Json;
import dev.queencell.state.store.Row;
import dev.queencell.state.store.Statements;
import dev.queencell.state.store.Tx;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

/** The cells that clusters live on. */
public final class Cells {
  /** A cell; the secret stays inside this package and the edge's view. */
  public record Cell(
      UUID id, String slug, String baseUrl, String region, String cellClass, String secret) {
    @Override
    public String toString() {
      return "Cell[" + slug + " at " + baseUrl + "]";
    }
  }

  /**
   * What a registration asks for; null leaves a known cell's value as it is.
   *
   * @param secret sent to the broker as a bearer token
   */
  public record Registration(
      String slug, String baseUrl, String region, String cellClass, String secret) {
    @Override
    public String toString() {
      return "Registration[" + slug + " at " + baseUrl + "]";
    }
  }

  /** A cell and whether this call made it. */
  public record Registered(Cell cell, boolean created) {}

  /** More cells than anybody runs under one tenant state. */
  private static final int LISTED_MAX = 1000;

  private static final Statements SQL = Statements.of("cells");
  private static final String INSERT = SQL.named("insert");
  private static final String LOCK = SQL.named("lock");
  private static final String UPDATE = SQL.named("update");
  private static final String LIST = SQL.named("list");
  private static final String BY_SLUG = SQL.named("by_slug");
  private static final String BY_ID = SQL.named("by_id");

  private final Ledger ledger;

  public Cells(Ledger ledger) {
    this.ledger = ledger;
  }

  /** Makes a cell known or brings a known one up to date. */
  public Registered register(Registration wanted) {
    return ledger.write(
        mutation -> {
          var made =
              mutation
                  .tx()
                  .one(
                      INSERT,
                      Cells::read,
                      wanted.slug(),
                      wanted.baseUrl(),
                      wanted.region(),
                      wanted.cellClass(),
                      wanted.secret());
          if (made.isPresent()) {
            audit(mutation, made.get(), "cell_created");
            return new Registered(made.get(), true);
          }
          return new Registered(update(mutation, wanted), false);
        });
  }

  public List<Cell> list() {
    return ledger.read(tx -> tx.list(LIST, Cells::read, LISTED_MAX));
  }

  /**
   * The cell that a call means.
   *
   * @param reference slug or id; null means the only cell there is
   */
  static Cell resolve(Tx tx, String reference) throws SQLException {
    if (reference != null) {
      return find(tx, reference)
          .orElseThrow(() -> Refusal.invalid("cell: there is no cell '" + reference + "'"));
    }
    var all = tx.list(LIST, Cells::read, 2);
    if (all.size() == 1) {
      return all.getFirst();
    }
    throw Refusal.invalid(
        all.isEmpty()
            ? "cell: no cell is registered yet; POST /api/cp/cells makes one"
            : "cell: there are several cells; name one");
  }

  private static Optional<Cell> find(Tx tx, String reference) throws SQLException {
    return Ids.isUuid(reference)
        ? tx.one(BY_ID, Cells::read, UUID.fromString(reference))
        : tx.one(BY_SLUG, Cells::read, reference);
  }

  private static Cell update(Mutation mutation, Registration wanted) throws SQLException {
    var known = mutation.tx().one(LOCK, Cells::read, wanted.slug()).orElseThrow();
    var updated =
        new Cell(
            known.id(),
            known.slug(),
            wanted.baseUrl(),
            Objects.requireNonNullElse(wanted.region(), known.region()),
            Objects.requireNonNullElse(wanted.cellClass(), known.cellClass()),
            wanted.secret() == null ? known.secret() : wanted.secret());
    if (updated.equals(known)) {
      return known;
    }
    mutation
        .tx()
        .change(
            UPDATE,
            updated.baseUrl(),
            updated.region(),
            updated.cellClass(),
            updated.secret(),
            updated.id());
    audit(mutation, updated, "cell_updated");
    // Any cluster may live on it; cells change so rarely that asking for all again is cheap.
    mutation.everythingChanged();
    return updated;
  }

  private static void audit(Mutation mutation, Cell cell, String action) {
    mutation.audit(
        null,
        null,
        action,
        cell.slug(),
        Json.object().put("base_url", cell.baseUrl()).put("region", cell.region()));
  }

  private static Cell read(Row row) throws SQLException {
    return new Cell(
        row.uuid("id"),
        row.text("slug"),
        row.text("base_url"),
        row.text("region"),
        row.text("class"),
        row.text("cell_secret"));
  }
}
