package dev.queencell.broker.engine;

import dev.queencell.broker.store.Slice;

/**
 * One acknowledgement.
 *
 * @param partitionId as the client sent it, any text
 * @param leaseId as the client sent it; null or empty: without a lease
 * @param error the reason of a failure, or null
 */
public record AckItem(
    Slice transactionId, String partitionId, AckStatus status, String leaseId, String error) {}
