package dev.queencell.state.purge;

import dev.queencell.service.Json;
import dev.queencell.state.control.Ledger;
import dev.queencell.state.store.Database;
import dev.queencell.state.store.Row;
import dev.queencell.state.store.Statements;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Empties namespaces at their brokers, a round at a time: list the queues, delete them, look again.
 * What is left to do is what the broker lists, so that a round that broke off, here or there, is
 * simply followed by another. Progress is counted per queue; the end is audited.
 *
 * <p>The end is only believed some time after the beginning, when whatever the edge had let pass
 * before it heard of the deletion has arrived. Thread-safe; several processes share the work.
 */
public final class Purger {
  private record Job(
      UUID clusterId,
      String slug,
      UUID tenantId,
      UUID brokerTenantUuid,
      String baseUrl,
      String secret,
      int attempts,
      long queuesDeleted,
      long partitionsDeleted,
      boolean settled) {
    @Override
    public String toString() {
      return "Job[" + slug + "]";
    }
  }

  private static final Logger LOG = LoggerFactory.getLogger(Purger.class);

  /** A round that takes longer is taken for dead. */
  private static final Duration CLAIM = Duration.ofSeconds(60);

  private static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(5);
  private static final Duration PAUSE_TO_SETTLE = Duration.ofSeconds(1);
  private static final int ERROR_CHARS_MAX = 300;

  private static final Statements SQL = Statements.of("purges");
  private static final String CLAIM_JOB = SQL.named("claim");
  private static final String PROGRESS = SQL.named("progress");
  private static final String AGAIN = SQL.named("again");
  private static final String FINISH = SQL.named("finish");

  private final Database database;
  private final Ledger ledger;
  private final Duration settle;

  /**
   * @param settle the earliest end after the beginning
   */
  public Purger(Database database, Ledger ledger, Duration settle) {
    this.database = database;
    this.ledger = ledger;
    this.settle = settle;
  }

  /** Does one round of everything that is due; answers how many rounds. */
  public int run() {
    int rounds = 0;
    for (var job = claim(); job.isPresent(); job = claim()) {
      round(job.get());
      rounds++;
    }
    return rounds;
  }

  private void round(Job job) {
    try (var broker = new BrokerNamespace(job.baseUrl(), job.secret(), job.brokerTenantUuid())) {
      var queues = broker.queues();
      for (var queue : queues) {
        broker.delete(queue.name());
        var _ =
            database.transaction(tx -> tx.change(PROGRESS, queue.partitions(), job.clusterId()));
      }
      if (!queues.isEmpty()) {
        again(job, Duration.ZERO, null);
      } else if (!job.settled()) {
        again(job, PAUSE_TO_SETTLE, null);
      } else {
        finish(job);
      }
    } catch (IOException e) {
      var reason = String.valueOf(e.getMessage());
      LOG.warn("purge of cluster {}, attempt {}: {}", job.slug(), job.attempts(), reason);
      again(
          job,
          PAUSE_AFTER_FAILURE,
          reason.substring(0, Math.min(reason.length(), ERROR_CHARS_MAX)));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Optional<Job> claim() {
    return database.transaction(
        tx ->
            tx.one(
                CLAIM_JOB, Purger::read, (double) CLAIM.toSeconds(), settle.toMillis() / 1000.0));
  }

  private void again(Job job, Duration pause, String error) {
    var _ =
        database.transaction(
            tx -> tx.change(AGAIN, (double) pause.toSeconds(), error, job.clusterId()));
  }

  private void finish(Job job) {
    boolean finished =
        ledger.write(
            mutation -> {
              if (mutation.tx().change(FINISH, job.clusterId()) == 0) {
                return false;
              }
              mutation.auditSystem(
                  job.tenantId(),
                  job.clusterId(),
                  "cluster_purged",
                  job.slug(),
                  Json.object()
                      .put("broker_tenant_uuid", job.brokerTenantUuid().toString())
                      .put("queues_deleted", job.queuesDeleted())
                      .put("partitions_deleted", job.partitionsDeleted()));
              return true;
            });
    if (finished) {
      LOG.info("cluster {} is empty at its broker", job.slug());
    }
  }

  private static Job read(Row row) throws SQLException {
    return new Job(
        row.uuid("id"),
        row.text("slug"),
        row.uuid("tenant_id"),
        row.uuid("broker_tenant_uuid"),
        row.text("base_url"),
        row.text("cell_secret"),
        (int) row.number("attempts"),
        row.number("queues_deleted"),
        row.number("partitions_deleted"),
        row.flag("settled"));
  }
}
