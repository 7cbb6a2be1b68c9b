package dev.queencell.loader.provision;

/** A tenant that the loader may speak for, a row of the tenants file. */
public record BenchTenant(
    int index,
    String tenant,
    String cluster,
    String clusterId,
    String brokerTenantUuid,
    String apiKey) {
  @Override
  public String toString() {
    return "BenchTenant[%d, %s]".formatted(index, tenant);
  }
}
