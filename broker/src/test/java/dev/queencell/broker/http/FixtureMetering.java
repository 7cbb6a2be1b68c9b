package dev.queencell.broker.http;

import dev.queencell.broker.engine.Metering;
import dev.queencell.broker.engine.WorkKind;
import java.util.List;
import java.util.Map;

/** Meters that show what they are told. */
final class FixtureMetering implements Metering {
  volatile Map<String, TenantCounts> tenants = Map.of();
  volatile List<QueueDepth> deadLetters = List.of();
  volatile LastMinute lastMinute = new LastMinute(-1, List.of());

  @Override
  public Works works(WorkKind kind) {
    long n = 1L + List.of(WorkKind.values()).indexOf(kind);
    return new Works(n, 10 * n, n * 500_000_000L, 100 * n, 1_000 * n, 10_000 * n);
  }

  @Override
  public List<QueueDepth> deadLetters() {
    return deadLetters;
  }

  @Override
  public Autopilot autopilot(boolean applied) {
    return applied ? new Autopilot(3, 12) : new Autopilot(4, 20);
  }

  @Override
  public Map<String, TenantCounts> tenants() {
    return tenants;
  }

  @Override
  public LastMinute lastMinute() {
    return lastMinute;
  }

  @Override
  public Sessions sessions() {
    return new Sessions(5, 2);
  }

  @Override
  public Server server() {
    return new Server("18.0", Map.of("fsync", "on"));
  }
}
