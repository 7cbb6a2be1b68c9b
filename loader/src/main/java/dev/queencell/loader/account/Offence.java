package dev.queencell.loader.account;

/** One message that speaks against a run. */
public record Offence(String kind, int tenant, int partition, long sequence) {
  @Override
  public String toString() {
    return "%s (tenant %d, partition %d, sequence %d)".formatted(kind, tenant, partition, sequence);
  }
}
