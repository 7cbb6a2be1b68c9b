package dev.queencell.client;

import java.util.Objects;

/**
 * On whose behalf requests are sent. Many callers share one {@link QueenTransport}.
 *
 * @param apiKey sent as {@code Authorization: Bearer}; empty sends none
 * @param tenant broker tenant UUID, sent as {@code x-queen-tenant}; empty sends none. Only a broker
 *     that is reached directly reads it; the proxy overwrites it
 * @param host value of the {@code Host} header, for a proxy that routes on the host label; empty
 *     sends the address that is connected to
 */
public record Caller(String apiKey, String tenant, String host) {
  /** Sends no identity: a broker without tenancy. */
  public static final Caller ANONYMOUS = new Caller("", "", "");

  public Caller {
    Objects.requireNonNull(apiKey, "apiKey");
    Objects.requireNonNull(tenant, "tenant");
    Objects.requireNonNull(host, "host");
  }

  /** A tenant's API key, for the proxy. */
  public static Caller withApiKey(String apiKey) {
    return new Caller(apiKey, "", "");
  }

  /** A broker tenant, for a broker with the tenancy header switched on. */
  public static Caller withTenant(String tenant) {
    return new Caller("", tenant, "");
  }

  /** The same caller, routed by this {@code Host} header. */
  public Caller atHost(String newHost) {
    return new Caller(apiKey, tenant, newHost);
  }

  @Override
  public String toString() {
    return "Caller[apiKey=%s, tenant=%s, host=%s]"
        .formatted(apiKey.isEmpty() ? "" : "(hidden)", tenant, host);
  }
}
