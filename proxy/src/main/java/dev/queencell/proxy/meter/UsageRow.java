package dev.queencell.proxy.meter;

import java.time.Instant;
import java.util.UUID;

/**
 * What one cluster did in one minute, in one class.
 *
 * @param minute its start
 */
public record UsageRow(
    UUID clusterId,
    Instant minute,
    UsageClass usageClass,
    long requests,
    long messages,
    long bytesIn,
    long bytesOut) {}
