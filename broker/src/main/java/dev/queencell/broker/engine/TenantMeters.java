package dev.queencell.broker.engine;

import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counters per tenant since the process started, over all terms, for the metrics pages. The first
 * {@link #TENANTS_MAX} tenants have counters of their own, all others share one set: so neither
 * memory nor a page grows with the number of tenants, and no counter ever goes back. Thread-safe.
 */
final class TenantMeters {
  /** Tenants with series of their own. */
  static final int TENANTS_MAX = 200;

  /** How the others are called together. */
  static final String OTHER = "other";

  private final Map<UUID, Counters> own = new ConcurrentHashMap<>();
  private final Counters other = new Counters();

  /** One tenant's counters. */
  static final class Counters {
    final LongAdder pushRequests = new LongAdder();
    final LongAdder pushMessages = new LongAdder();
    final LongAdder popMessages = new LongAdder();
    final LongAdder acksSucceeded = new LongAdder();
    final LongAdder acksFailed = new LongAdder();
    final LongAdder deadLetters = new LongAdder();

    Metering.TenantCounts read() {
      return new Metering.TenantCounts(
          pushRequests.sum(),
          pushMessages.sum(),
          popMessages.sum(),
          acksSucceeded.sum(),
          acksFailed.sum(),
          deadLetters.sum());
    }
  }

  /** The counters of a tenant; asked once per queue, then kept with it. */
  Counters of(UUID tenant) {
    var known = own.get(tenant);
    if (known != null) {
      return known;
    }
    synchronized (own) {
      return own.size() < TENANTS_MAX
          ? own.computeIfAbsent(tenant, key -> new Counters())
          : own.getOrDefault(tenant, other);
    }
  }

  /** All series by label. */
  Map<String, Metering.TenantCounts> read() {
    var all = new TreeMap<String, Metering.TenantCounts>();
    own.forEach((tenant, counters) -> all.put(tenant.toString(), counters.read()));
    if (own.size() >= TENANTS_MAX) {
      all.put(OTHER, other.read());
    }
    return all;
  }
}
