package dev.queencell.loader.pace;

/**
 * Events go round the tenants' producers; each producer walks its own share of its tenant's lanes,
 * every n-th of them. With fewer lanes than producers each walks all of them, entering at a place
 * of its own.
 *
 * @param tenants that produce
 * @param perTenant producers of each
 * @param partitions lanes of each
 */
public record RoundOfProducers(int tenants, int perTenant, int partitions) implements Aim {
  @Override
  public int tenant(long event) {
    return (int) (event % tenants);
  }

  @Override
  public int partition(long event, long sinceStartNanos) {
    int producer = (int) (event / tenants % perTenant);
    long turn = event / ((long) tenants * perTenant);
    if (partitions < perTenant) {
      return (int) ((producer + turn) % partitions);
    }
    int share = (partitions - producer + perTenant - 1) / perTenant;
    int first = producer % share;
    return producer + perTenant * (int) ((first + turn) % share);
  }
}
