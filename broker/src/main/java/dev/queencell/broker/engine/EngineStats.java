package dev.queencell.broker.engine;

/**
 * Counters since the start of the process and gauges of this moment.
 *
 * @param commits transactions written by the journal
 * @param commitMessages messages appended by them
 * @param commitNanos time spent waiting for them
 * @param tailCacheBytes unpacked segments held in memory
 */
public record EngineStats(
    long pushRequests,
    long pushMessages,
    long popRequests,
    long popMessages,
    long popEmpty,
    long ackRequests,
    long ackMessages,
    long ackFailed,
    long leasesExpired,
    long redeliveries,
    long commits,
    long commitMessages,
    long commitNanos,
    long coldReads,
    long takeovers,
    long parkedConsumers,
    long queues,
    long partitions,
    long tailCacheBytes,
    long inboxBytes) {}
