package dev.queencell.state;

import dev.queencell.service.BuildIdentity;
import dev.queencell.service.HttpServer;
import dev.queencell.service.Settings;
import dev.queencell.state.edge.ChangeFeed;
import dev.queencell.state.http.StateApi;
import dev.queencell.state.store.Database;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts the tenant-state service, or says in one line why it can't. */
public final class StateMain implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StateMain.class);
  private static final long PRUNE_INTERVAL_MINUTES = 10;

  private final Database database;
  private final ChangeFeed feed;
  private final HttpServer server;
  private final ScheduledExecutorService housekeeping;

  private StateMain(
      Database database,
      ChangeFeed feed,
      HttpServer server,
      ScheduledExecutorService housekeeping) {
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
      var server = StateApi.start(config.access(), database, feed, BuildIdentity.read());
      return new StateMain(database, feed, server, startHousekeeping(feed));
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
    housekeeping.shutdownNow();
    feed.close();
    try {
      server.close();
    } finally {
      database.close();
    }
  }

  private static ScheduledExecutorService startHousekeeping(ChangeFeed feed) {
    var executor =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("housekeeping").factory());
    // prune() never throws, so that the future has nothing to tell.
    var _ =
        executor.scheduleWithFixedDelay(
            () -> prune(feed), PRUNE_INTERVAL_MINUTES, PRUNE_INTERVAL_MINUTES, TimeUnit.MINUTES);
    return executor;
  }

  /** Never throws: a failed round must not end the rounds. */
  private static void prune(ChangeFeed feed) {
    try {
      feed.prune();
    } catch (RuntimeException e) {
      LOG.warn("can't prune the change feed now: {}", e.getMessage());
    }
  }
}
