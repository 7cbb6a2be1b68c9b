package dev.queencell.loader.run;

import dev.queencell.client.Caller;
import dev.queencell.client.QueenClient;
import dev.queencell.client.QueenException;
import dev.queencell.client.QueenTransport;
import dev.queencell.client.QueueOptions;
import dev.queencell.loader.options.CellHome;
import dev.queencell.loader.options.Options;
import java.net.URI;

/** The one broker that modes without tenants go to, and how its queues are made. */
public final class BrokerTarget {
  private BrokerTarget() {}

  /** The address that was given, else the home's, else the default port here. */
  public static String url(Options options, CellHome home) {
    var given = options.get(RunOptions.BROKER_URL);
    return given != null ? given : home.get("QUEENCELL_BROKER_URL", "http://127.0.0.1:6632");
  }

  /**
   * Opens a pool.
   *
   * @param connections most at once
   */
  public static QueenTransport transport(String url, int connections, long timeoutMs)
      throws SetupException {
    try {
      return new QueenTransport(
          URI.create(url),
          QueenTransport.Options.DEFAULTS
              .withConnectionsMax(connections)
              .withResponseTimeoutMs(timeoutMs));
    } catch (IllegalArgumentException e) {
      throw new SetupException(e.getMessage());
    }
  }

  /** A client without a tenant. */
  public static QueenClient client(QueenTransport transport) {
    return transport.client(Caller.ANONYMOUS);
  }

  /** Gives a queue its options; proves on the way that the broker answers. */
  public static void configure(QueenClient client, String queue, QueueOptions options)
      throws SetupException {
    try {
      client.configure(queue, options);
    } catch (QueenException e) {
      throw new SetupException(e.getMessage());
    }
  }

  /** Retention as the options say it; 0 keeps for ever. */
  public static QueueOptions retention(int completedSeconds, int pendingSeconds) {
    return QueueOptions.UNCHANGED
        .completedRetentionSeconds(completedSeconds)
        .retentionSeconds(pendingSeconds)
        .with("retentionEnabled", completedSeconds > 0 || pendingSeconds > 0);
  }
}
