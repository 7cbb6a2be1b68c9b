package dev.queencell.broker;

import dev.queencell.broker.auth.AccessControl;
import dev.queencell.broker.engine.CellEngine;
import dev.queencell.broker.engine.Engine;
import dev.queencell.broker.http.BrokerApi;
import dev.queencell.broker.http.Gates;
import dev.queencell.broker.journal.CommitWatch;
import dev.queencell.broker.maintenance.DatabaseSwitches;
import dev.queencell.broker.maintenance.Maintenance;
import dev.queencell.broker.spool.OwnerClient;
import dev.queencell.broker.spool.Pushes;
import dev.queencell.broker.spool.Spool;
import dev.queencell.broker.store.Database;
import dev.queencell.service.BuildIdentity;
import dev.queencell.service.HttpServer;
import dev.queencell.service.Settings;
import java.util.ArrayDeque;

/**
 * Starts a broker, or says in one line why it can't. It is ready when it owns its database, or
 * stands by because another broker does; until then it listens, keeps pushes in its spool and
 * refuses everything else with {@code 503}.
 */
public final class BrokerMain implements AutoCloseable {
  private static final long READY_POLL_MS = 10;

  /** Less than what service managers usually grant, and the kit in particular. */
  private static final long STOP_MS_MAX = 13_000;

  /** What was started, the last first: it ends in this order. */
  private final ArrayDeque<AutoCloseable> started = new ArrayDeque<>();

  private Engine engine;
  private Maintenance maintenance;
  private Pushes pushes;
  private BrokerApi api;

  private BrokerMain() {}

  public static void main(String[] arguments) throws InterruptedException {
    run(CommitWatch.NONE);
  }

  /** Runs until the process is told to stop. */
  @SuppressWarnings("SystemOut")
  static void run(CommitWatch watch) throws InterruptedException {
    try {
      var settings = new Settings(System.getenv());
      var config = BrokerConfig.read(settings);
      System.out.println(settings.describe());
      var broker = start(config.with(watch));
      Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(broker::stop));
      while (broker.engine.role() == Engine.Role.LOADING || !broker.maintenance.known()) {
        Thread.sleep(READY_POLL_MS);
      }
      System.out.printf("ready on http://%s:%d%n", config.api().bindAddr(), broker.port());
    } catch (IllegalStateException e) {
      System.err.println("queencell-broker: " + e.getMessage());
      System.exit(1);
    }
  }

  /**
   * Closes within a deadline: a database that hangs must not have the process killed from outside.
   * Whatever is cut off was not answered; what was answered is durable already.
   */
  private void stop() {
    try {
      Thread.ofPlatform().daemon().start(this::close).join(STOP_MS_MAX);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  static BrokerMain start(BrokerConfig config) {
    var broker = new BrokerMain();
    try {
      broker.open(config);
      return broker;
    } catch (RuntimeException e) {
      broker.close();
      throw e;
    }
  }

  private void open(BrokerConfig config) {
    var cell = config.engine();
    var access = started(new AccessControl(config.auth()));
    var spool = Spool.open(config.spool(), cell.cipher());
    started.push(spool);
    var database = new Database(cell.jdbcUrl(), cell.user(), cell.password());
    maintenance = started(new Maintenance(new DatabaseSwitches(database)));
    engine = CellEngine.open(cell.answering(HttpServer::together));
    var owner = started(new OwnerClient(config.spoolToken()));
    pushes = new Pushes(engine, spool, maintenance::pushPaused, owner, config.spool().retryMs());
    api =
        BrokerApi.start(
            config.api(),
            engine,
            new Gates(access, maintenance, pushes, cell.cipher()),
            BuildIdentity.read());
  }

  private <T extends AutoCloseable> T started(T part) {
    started.push(part);
    return part;
  }

  /** The port that is listened on. */
  int port() {
    return api.port();
  }

  /**
   * Spools nothing any more, settles what is under way, gives the ownership up, then stops
   * listening, and last makes durable what was on its way to the spool. Each step has its own
   * deadline.
   */
  @Override
  public void close() {
    if (pushes != null) {
      pushes.stopSpooling();
    }
    close(engine);
    close(api);
    close(pushes);
    started.forEach(BrokerMain::close);
  }

  private static void close(AutoCloseable part) {
    try {
      if (part != null) {
        part.close();
      }
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
