package dev.queencell.client;

import java.util.Map;

/**
 * What a group has not completed, as the broker counts it.
 *
 * @param pending messages above the group's cursors
 * @param processing those of them that live leases cover
 * @param pendingByPartition per partition name; empty when the broker gives no detail
 */
public record QueueDepth(long pending, long processing, Map<String, Long> pendingByPartition) {}
