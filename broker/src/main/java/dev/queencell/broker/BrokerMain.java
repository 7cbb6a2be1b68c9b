package dev.queencell.broker;

import dev.queencell.broker.engine.CellEngine;
import dev.queencell.broker.engine.Engine;
import dev.queencell.broker.http.BrokerApi;
import dev.queencell.service.BuildIdentity;
import dev.queencell.service.Settings;

/**
 * Starts a broker, or says in one line why it can't. It is ready when it owns its database, or
 * stands by because another broker does; until then it listens and refuses with {@code 503}.
 */
public final class BrokerMain implements AutoCloseable {
  private static final long READY_POLL_MS = 10;

  private final Engine engine;
  private final BrokerApi api;

  private BrokerMain(Engine engine, BrokerApi api) {
    this.engine = engine;
    this.api = api;
  }

  /** Runs until the process is told to stop. */
  @SuppressWarnings("SystemOut")
  public static void main(String[] arguments) throws InterruptedException {
    try {
      var settings = new Settings(System.getenv());
      var config = BrokerConfig.read(settings);
      System.out.println(settings.describe());
      var broker = start(config);
      Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(broker::close));
      while (broker.engine.role() == Engine.Role.LOADING) {
        Thread.sleep(READY_POLL_MS);
      }
      System.out.printf("ready on http://%s:%d%n", config.api().bindAddr(), broker.port());
    } catch (IllegalStateException e) {
      System.err.println("queencell-broker: " + e.getMessage());
      System.exit(1);
    }
  }

  static BrokerMain start(BrokerConfig config) {
    var build = BuildIdentity.read();
    var engine = CellEngine.open(config.engine());
    try {
      return new BrokerMain(engine, BrokerApi.start(config.api(), engine, build));
    } catch (RuntimeException e) {
      engine.close();
      throw e;
    }
  }

  /** The port that is listened on. */
  int port() {
    return api.port();
  }

  /** Settles what is under way, gives the ownership up, then stops listening. */
  @Override
  public void close() {
    engine.close();
    api.close();
  }
}
