package dev.queencell.state.usage;

import dev.queencell.service.HttpProblem;
import dev.queencell.state.control.Ledger;
import dev.queencell.state.control.Mutation;
import dev.queencell.state.control.Refusal;
import dev.queencell.state.store.Statements;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.ToLongFunction;

/**
 * Takes in the edge's batches. A batch is one transaction that notes its id and adds its rows to
 * minutes and months, so that sending it again, for as long as its id is remembered, changes
 * nothing; and a batch old enough for its id to be forgotten is refused for the age of its minutes.
 *
 * <p>The same transaction decides what the counts mean for the month's quota. Thread-safe.
 */
public final class Metering {
  /** What happened in one minute, on one cluster, in one class. */
  public record Sample(
      UUID clusterId,
      Instant minute,
      String opClass,
      long reqs,
      long msgs,
      long bytesIn,
      long bytesOut) {}

  private record Month(UUID clusterId, String firstDay) {}

  public static final List<String> OP_CLASSES =
      List.of("push", "txn", "delivery", "configure", "read");

  public static final int ROWS_MAX = 4000;

  /** A number of a row: what JSON carries exactly, and what can be added up without overflow. */
  public static final long NUMBER_MAX = 1L << 53;

  /** Older minutes are refused. */
  public static final int MINUTE_AGE_DAYS_MAX = 45;

  /** How long ids are remembered: longer than any batch that is not refused can be old. */
  static final int BATCH_KEPT_DAYS = 60;

  private static final long AHEAD_SECONDS_MAX = 600;
  private static final long DAY_SECONDS = 86_400;

  private static final Statements SQL = Statements.of("usage");
  private static final String NOW = SQL.named("now");
  private static final String NOTE_BATCH = SQL.named("note_batch");
  private static final String DIGEST = SQL.named("digest_of_batch");
  private static final String OPEN_DAYS = SQL.named("open_days");
  private static final String ADD_MINUTES = SQL.named("add_minutes");
  private static final String ADD_MONTHS = SQL.named("add_months");

  private final Ledger ledger;
  private final MonthlyQuotas quotas;

  public Metering(Ledger ledger, MonthlyQuotas quotas) {
    this.ledger = ledger;
    this.quotas = quotas;
  }

  /**
   * Counts a batch, unless it was counted.
   *
   * @param samples each key once
   * @return whether this call counted it
   * @throws HttpProblem 409 when the id came with other rows, 400 {@code too_old} or {@code
   *     too_new}
   */
  public boolean count(UUID batchId, List<Sample> samples) {
    var sorted = samples.stream().sorted(BY_KEY).toList();
    var digest = digest(sorted);
    return ledger.write(
        mutation -> {
          var tx = mutation.tx();
          var noted = tx.one(NOTE_BATCH, row -> row.uuid("batch_id"), batchId, digest);
          if (noted.isEmpty()) {
            var known = tx.one(DIGEST, row -> row.text("digest"), batchId).orElseThrow();
            if (!known.equals(digest)) {
              throw Refusal.conflict("batch_id: that id was used for other rows");
            }
            return false;
          }
          long now = tx.one(NOW, row -> row.number("epoch_seconds")).orElseThrow();
          refuseOutOfTime(sorted, now);
          add(mutation, sorted);
          return true;
        });
  }

  private void add(Mutation mutation, List<Sample> samples) throws SQLException {
    var tx = mutation.tx();
    var days = new TreeSet<String>();
    var months = new TreeMap<Month, Long>(BY_MONTH);
    for (var sample : samples) {
      var day = sample.minute().toString().substring(0, "2026-01-01".length());
      days.add(day);
      var month = new Month(sample.clusterId(), day.substring(0, "2026-01".length()) + "-01");
      months.merge(month, sample.msgs(), Long::sum);
    }
    tx.change(OPEN_DAYS, (Object) days.toArray(String[]::new));
    tx.change(
        ADD_MINUTES,
        samples.stream().map(Sample::clusterId).toArray(UUID[]::new),
        samples.stream().map(sample -> sample.minute().toString()).toArray(String[]::new),
        samples.stream().map(Sample::opClass).toArray(String[]::new),
        numbers(samples, Sample::reqs),
        numbers(samples, Sample::msgs),
        numbers(samples, Sample::bytesIn),
        numbers(samples, Sample::bytesOut));
    tx.change(
        ADD_MONTHS,
        months.keySet().stream().map(Month::clusterId).toArray(UUID[]::new),
        months.keySet().stream().map(Month::firstDay).toArray(String[]::new),
        months.values().toArray(Long[]::new));
    quotas.judge(
        mutation, months.keySet().stream().map(Month::clusterId).distinct().toArray(UUID[]::new));
  }

  private static void refuseOutOfTime(List<Sample> samples, long nowSeconds) {
    for (var sample : samples) {
      long at = sample.minute().getEpochSecond();
      if (at < nowSeconds - MINUTE_AGE_DAYS_MAX * DAY_SECONDS) {
        throw new HttpProblem(
            400,
            "minute %s is more than %d days ago; what is that old can't be told from a repetition"
                .formatted(sample.minute(), MINUTE_AGE_DAYS_MAX),
            "too_old");
      }
      if (at > nowSeconds + AHEAD_SECONDS_MAX) {
        throw new HttpProblem(
            400,
            "minute %s is more than %d s ahead of the database's clock"
                .formatted(sample.minute(), AHEAD_SECONDS_MAX),
            "too_new");
      }
    }
  }

  private static final Comparator<Sample> BY_KEY =
      Comparator.comparing(Sample::clusterId)
          .thenComparing(Sample::minute)
          .thenComparing(Sample::opClass);

  private static final Comparator<Month> BY_MONTH =
      Comparator.comparing(Month::clusterId).thenComparing(Month::firstDay);

  private static Long[] numbers(List<Sample> samples, ToLongFunction<Sample> number) {
    return samples.stream().map(number::applyAsLong).toArray(Long[]::new);
  }

  /** Over the sorted rows, so that their order in a repetition doesn't matter. */
  private static String digest(List<Sample> samples) {
    try {
      var sha256 = MessageDigest.getInstance("SHA-256");
      for (var sample : samples) {
        sha256.update((sample + "\n").getBytes(StandardCharsets.UTF_8));
      }
      return HexFormat.of().formatHex(sha256.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java runtime has SHA-256", e);
    }
  }
}
