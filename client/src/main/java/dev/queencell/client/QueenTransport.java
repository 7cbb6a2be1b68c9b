package dev.queencell.client;

import java.net.URI;
import java.util.Objects;

/**
 * A pool of connections to one broker or proxy, shared by any number of tenants. Make one per
 * server and process, take a light {@link QueenClient} per tenant from it, close it at the end.
 *
 * <p>Calls block: run them on virtual threads. Thread-safe.
 */
public final class QueenTransport implements AutoCloseable {
  /**
   * The pool's size and times.
   *
   * @param connectionsMax how many connections may be open at once; a request that finds none free
   *     waits up to its own timeout
   * @param connectTimeoutMs for making a connection
   * @param responseTimeoutMs silence that ends a request; a waiting pop adds its own wait
   */
  public record Options(int connectionsMax, long connectTimeoutMs, long responseTimeoutMs) {
    public static final Options DEFAULTS = new Options(256, 5_000, 30_000);

    public Options {
      if (connectionsMax < 1 || connectTimeoutMs < 1 || responseTimeoutMs < 1) {
        throw new IllegalArgumentException(
            "connectionsMax, connectTimeoutMs and responseTimeoutMs take ≥ 1, got %d, %d, %d"
                .formatted(connectionsMax, connectTimeoutMs, responseTimeoutMs));
      }
    }

    public Options withConnectionsMax(int connections) {
      return new Options(connections, connectTimeoutMs, responseTimeoutMs);
    }

    public Options withResponseTimeoutMs(long timeoutMs) {
      return new Options(connectionsMax, connectTimeoutMs, timeoutMs);
    }
  }

  private final HttpExchange exchange;
  private final Options options;

  /**
   * Opens nothing yet; connections are made when first needed.
   *
   * @param baseUrl scheme, host and port, such as {@code http://127.0.0.1:6632}
   */
  public QueenTransport(URI baseUrl, Options options) {
    if (baseUrl.getHost() == null || !isHttp(baseUrl.getScheme())) {
      throw new IllegalArgumentException(
          "'%s' is no base URL; it takes http://HOST:PORT".formatted(baseUrl));
    }
    this.options = Objects.requireNonNull(options, "options");
    exchange = new HttpExchange(baseUrl, options.connectionsMax(), options.connectTimeoutMs());
  }

  public QueenTransport(URI baseUrl) {
    this(baseUrl, Options.DEFAULTS);
  }

  private static boolean isHttp(String scheme) {
    return "http".equals(scheme) || "https".equals(scheme);
  }

  /** A view that speaks for one caller and never retries. */
  public QueenClient client(Caller caller) {
    return new QueenClient(exchange, options.responseTimeoutMs(), caller, RetryOn429.NEVER);
  }

  /** The tenant-state service's admin API at this address. */
  public ControlPlane controlPlane(String adminToken) {
    return new ControlPlane(exchange, options.responseTimeoutMs(), adminToken);
  }

  /** Ends all connections; requests underway fail. */
  @Override
  public void close() {
    exchange.close();
  }
}
