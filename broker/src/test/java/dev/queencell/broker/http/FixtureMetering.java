package dev.queencell.broker.http;

import dev.queencell.broker.engine.Metering;
import java.util.List;
import java.util.Map;

/** Meters that show what they are told. */
final class FixtureMetering implements Metering {
  volatile Map<String, TenantCounts> tenants = Map.of();
  volatile LastMinute lastMinute = new LastMinute(-1, List.of());

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
