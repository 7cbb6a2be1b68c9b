package dev.queencell.loader.account;

import java.util.Map;

/**
 * What the broker itself says is still queued for one tenant at the cutoff.
 *
 * @param known false when it could not be asked: then nothing counts as queued
 * @param total messages
 * @param byPartition per partition index; empty when the broker gives only a total
 */
public record Backlog(boolean known, long total, Map<Integer, Long> byPartition) {
  /** The broker could not be asked. */
  public static final Backlog UNKNOWN = new Backlog(false, 0, Map.of());

  /** The most that can be queued in this partition. */
  long pending(int partition) {
    return byPartition.isEmpty() ? total : byPartition.getOrDefault(partition, 0L);
  }
}
