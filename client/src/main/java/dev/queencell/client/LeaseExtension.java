package dev.queencell.client;

/**
 * The answer to a lease renewal.
 *
 * @param renewed how many partitions' leases were renewed; 0 means that the lease is gone
 * @param expiresAt the earliest new expiry, ISO-8601; empty when nothing was renewed
 */
public record LeaseExtension(int renewed, String expiresAt) {
  public boolean alive() {
    return renewed > 0;
  }
}
