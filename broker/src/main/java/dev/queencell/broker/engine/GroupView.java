package dev.queencell.broker.engine;

import java.time.Instant;

/**
 * A consumer group on one queue, by watermark arithmetic.
 *
 * @param cursors partitions on which it has a place
 * @param lagging those with something left to deliver or complete
 * @param lag messages behind its cursors
 * @param lagSeconds age of the oldest of them; 0 when there is none
 * @param consumed messages have been handed to it and completed
 * @param mode how it subscribed; null when it only popped named partitions
 * @param subscribedFrom its messages are those since then; null without a subscription
 */
public record GroupView(
    String name,
    String queue,
    int cursors,
    int lagging,
    long lag,
    long lagSeconds,
    boolean consumed,
    String mode,
    Instant subscribedFrom,
    Instant createdAt,
    boolean conflation) {}
