package dev.queencell.state;

import dev.queencell.service.BuildIdentity;
import dev.queencell.service.HttpServer;
import dev.queencell.service.Settings;
import dev.queencell.state.control.KeyRotation;
import dev.queencell.state.control.Ledger;
import dev.queencell.state.edge.ChangeFeed;
import dev.queencell.state.http.StateApi;
import dev.queencell.state.purge.Purger;
import dev.queencell.state.session.Sessions;
import dev.queencell.state.store.Database;
import dev.queencell.state.usage.MonthlyQuotas;
import dev.queencell.state.usage.RollUp;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;

/** Starts the tenant-state service, or says in one line why it can't. */
public final class StateMain implements AutoCloseable {
  private static final long PRUNE_INTERVAL_MS = 600_000;
  private static final long SWEEP_INTERVAL_MS = 3_600_000;
  private static final long EXPIRY_INTERVAL_MS = 500;
  private static final long PURGE_INTERVAL_MS = 1_000;

  /** The edge hears of a deletion within two seconds; what it let pass before has come by then. */
  private static final Duration PURGE_SETTLE = Duration.ofSeconds(5);

  private final Database database;
  private final ChangeFeed feed;
  private final HttpServer server;
  private final List<Housekeeping> housekeeping;

  private StateMain(
      Database database, ChangeFeed feed, HttpServer server, List<Housekeeping> housekeeping) {
    this.feed = feed;
    this.database = database;
    this.server = server;
    this.housekeeping = housekeeping;
  }

  /** Runs until the process is told to stop. */
  @SuppressWarnings("SystemOut")
  public static void main(String[] arguments) {
    try {
      var settings = new Settings(System.getenv());
      var config = StateConfig.read(settings);
      System.out.println(settings.describe());
      var service = start(config);
      Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(service::close));
      System.out.printf("ready on http://%s:%d%n", config.access().host(), service.port());
    } catch (IllegalStateException e) {
      System.err.println("queencell-state: " + e.getMessage());
      System.exit(1);
    }
  }

  static StateMain start(StateConfig config) {
    var database = Database.open(config.database());
    try {
      var feed = new ChangeFeed(database);
      var ledger = new Ledger(database, feed::wake);
      var quotas = new MonthlyQuotas(ledger, config.usage().warnPercent());
      var sessions = new Sessions(ledger, config.sessions(), InstantSource.system());
      var server =
          StateApi.start(
              config.access(),
              database,
              ledger,
              new StateApi.Parts(feed, quotas, sessions),
              BuildIdentity.read());
      var housekeeping = new Housekeeping("housekeeping");
      // A broker that hangs must not keep keys from expiring.
      var purging = new Housekeeping("purge");
      var rollUp = new RollUp(database, config.usage().keepDays());
      housekeeping.every("prune the change feed", PRUNE_INTERVAL_MS, feed::prune);
      housekeeping.every(
          "add usage up",
          config.usage().rollUpMs(),
          () -> {
            var _ = rollUp.run();
            quotas.judgeAll();
          });
      housekeeping.every("forget ended sessions", SWEEP_INTERVAL_MS, sessions::sweep);
      housekeeping.every("end rotated keys", EXPIRY_INTERVAL_MS, new KeyRotation(ledger)::expire);
      purging.every("purge", PURGE_INTERVAL_MS, new Purger(database, ledger, PURGE_SETTLE)::run);
      return new StateMain(database, feed, server, List.of(housekeeping, purging));
    } catch (RuntimeException e) {
      database.close();
      throw e;
    }
  }

  /** The port that is listened on. */
  int port() {
    return server.port();
  }

  @Override
  public void close() {
    housekeeping.forEach(Housekeeping::close);
    feed.close();
    try {
      server.close();
    } finally {
      database.close();
    }
  }
}
