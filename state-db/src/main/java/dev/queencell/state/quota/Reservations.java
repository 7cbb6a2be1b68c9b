package dev.queencell.state.quota;

import dev.queencell.service.Json;
import dev.queencell.state.control.Plans;
import dev.queencell.state.policy.EffectiveLimits;
import dev.queencell.state.policy.Limit;
import dev.queencell.state.store.Database;
import dev.queencell.state.store.Row;
import dev.queencell.state.store.Statements;
import dev.queencell.state.store.Tx;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;

/**
 * Hands out tokens of one bucket per cluster and kind to any number of proxies. Every token that a
 * proxy spends was taken here first, so that all of them together never admit more than capacity +
 * rate × time since the bucket's start; in a later window they can exceed that only by what they
 * held unspent when it began.
 *
 * <p>A bucket starts full, a refused ask takes nothing, a debit is unconditional and may leave the
 * bucket below zero, and a change of plan hands out no tokens. Time is the database's. Thread-safe.
 */
public final class Reservations {
  /** The kinds of buckets, each with its two limits. */
  public enum Bucket {
    REQUESTS(Limit.MAX_REQ_PER_SEC, Limit.REQ_BURST),
    MESSAGES(Limit.MAX_MSGS_PER_SEC, Limit.MSGS_BURST);

    private final Limit rate;
    private final Limit capacity;

    Bucket(Limit rate, Limit capacity) {
      this.rate = rate;
      this.capacity = capacity;
    }

    public String wireName() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * What a proxy asks of one bucket.
   *
   * @param need granted at least, or nothing is
   * @param want granted at most
   * @param giveBack tokens of earlier grants that were not spent
   * @param debit tokens to take whatever is there
   */
  public record Ask(
      UUID clusterId, Bucket bucket, long need, long want, long giveBack, long debit) {}

  /**
   * What it got.
   *
   * @param granted null where nothing is limited
   * @param retryAfterMs until {@code need} will be there; 0 when granted
   * @param ratePerSecond null where nothing is limited, like {@code capacity}
   */
  public record Grant(Long granted, long retryAfterMs, Long ratePerSecond, Long capacity) {}

  public static final int ASKS_MAX = 500;

  /** One ask's numbers: in millionths they still fit a 64-bit number. */
  public static final long TOKENS_MAX = 1_000_000_000_000L;

  private static final Grant UNLIMITED = new Grant(null, 0, null, null);

  private static final Statements SQL = Statements.of("quota");
  private static final String LIMITS = SQL.named("limits_of_clusters");
  private static final String RESERVE = SQL.named("reserve");

  private final Database database;

  public Reservations(Database database) {
    this.database = database;
  }

  /**
   * Decides asks in one transaction, answering in their order. A cluster that is gone has no limits
   * here; whether it may do anything is another question.
   */
  public List<Grant> reserve(List<Ask> asks) {
    // Rows are locked in one order, whoever asks.
    var order =
        IntStream.range(0, asks.size())
            .boxed()
            .sorted(
                Comparator.comparing((Integer i) -> asks.get(i).clusterId())
                    .thenComparing(i -> asks.get(i).bucket()))
            .toList();
    return database.transaction(
        tx -> {
          var limits = limits(tx, asks);
          var grants = new Grant[asks.size()];
          for (int i : order) {
            var ask = asks.get(i);
            grants[i] = reserve(tx, ask, limits.getOrDefault(ask.clusterId(), Map.of()));
          }
          return List.of(grants);
        });
  }

  private static Grant reserve(Tx tx, Ask ask, Map<Limit, Long> limits) throws SQLException {
    var rate = bounded(limits.get(ask.bucket().rate));
    if (rate == null) {
      return UNLIMITED;
    }
    // The merge gives every rate a burst.
    var capacity = bounded(limits.get(ask.bucket().capacity));
    return tx.one(
            RESERVE,
            row -> new Grant(row.number("granted"), row.number("retry_after_ms"), rate, capacity),
            ask.clusterId(),
            ask.bucket().wireName(),
            rate,
            capacity,
            ask.need(),
            ask.want(),
            ask.giveBack(),
            ask.debit(),
            rate,
            capacity,
            ask.need(),
            ask.want(),
            ask.giveBack(),
            ask.debit())
        .orElseThrow();
  }

  private static Map<UUID, Map<Limit, Long>> limits(Tx tx, List<Ask> asks) throws SQLException {
    var ids = asks.stream().map(Ask::clusterId).distinct().toArray(UUID[]::new);
    var byId = new HashMap<UUID, Map<Limit, Long>>();
    var _ = tx.list(LIMITS, row -> byId.put(row.uuid("id"), readLimits(row)), (Object) ids);
    return byId;
  }

  private static Map<Limit, Long> readLimits(Row row) throws SQLException {
    var overrides = row.text("overrides");
    return EffectiveLimits.of(
        Plans.readLimits(row), overrides == null ? null : Json.mapper().readTree(overrides));
  }

  private static Long bounded(Long limit) {
    return limit == null ? null : Long.valueOf(Math.min(limit, TOKENS_MAX));
  }
}
