package dev.queencell.broker.engine;

import java.time.Instant;
import java.util.UUID;

/**
 * The place of a group in one partition.
 *
 * @param leaseId of the live lease; null when there is none
 * @param completed positions at or below the cursor, counted from the partition's beginning
 * @param lag messages behind the cursor
 * @param lagSeconds age of the oldest of them; 0 when there is none
 * @param oldestAt when that one was written; null when there is none
 */
public record CursorView(
    String group,
    String queue,
    boolean conflation,
    String partition,
    UUID partitionId,
    UUID leaseId,
    long completed,
    long lag,
    long lagSeconds,
    Instant oldestAt) {}
