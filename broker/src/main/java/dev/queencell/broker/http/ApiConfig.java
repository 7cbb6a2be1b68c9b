package dev.queencell.broker.http;

import dev.queencell.service.ClientProbes;

/**
 * How the API serves.
 *
 * @param port 0 takes a free one
 * @param tenancyHeader whether {@code x-queen-tenant} names the tenant; only behind a trusted proxy
 * @param bodyBytesMax cap of one request body
 * @param bodyBudgetBytes cap of all request bodies in memory at one time
 * @param popDefaultTimeoutMs wait of a long poll that names none
 * @param subscribeFromNew whether a group that says nothing starts behind what is there
 * @param corsOrigin value of {@code Access-Control-Allow-Origin}; null sends no CORS headers
 * @param ownUrl what this broker is reachable as, so that it never redirects to itself
 * @param autopilot what pops may leave to the broker
 * @param probes of clients that stay silent
 * @param stopTimeoutMs how long running requests may take when the API closes
 */
public record ApiConfig(
    String bindAddr,
    int port,
    boolean tenancyHeader,
    int bodyBytesMax,
    long bodyBudgetBytes,
    int popDefaultTimeoutMs,
    boolean subscribeFromNew,
    String corsOrigin,
    String ownUrl,
    Autopilot autopilot,
    ClientProbes probes,
    long stopTimeoutMs) {

  /**
   * What a pop that asks for it may leave to the broker.
   *
   * @param batch messages of a pop that names none
   */
  public record Autopilot(Mode mode, int batch) {
    public static final Autopilot DEFAULT = new Autopilot(Mode.ON, 100);

    /** What becomes of what it chooses. */
    public enum Mode {
      /** Pops are served by it. */
      ON,
      /** Pops are served as if they had not asked; the metrics tell what it would have chosen. */
      SHADOW,
      /** It chooses nothing. */
      OFF
    }
  }
}
