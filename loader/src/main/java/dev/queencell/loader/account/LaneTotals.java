package dev.queencell.loader.account;

/**
 * A lane at the cutoff.
 *
 * @param undelivered accepted and never delivered: missing, or backlog
 * @param extra delivered and never recorded as accepted
 * @param inFlight highest sequence issued minus highest seen
 * @param heldByConsumers delivered and not completed for certain: the broker counts these as queued
 *     too, so they must not excuse what was not delivered
 * @param firstUndelivered the lowest such sequences
 */
record LaneTotals(
    long accepted,
    long delivered,
    long undelivered,
    long extra,
    long inFlight,
    long heldByConsumers,
    long[] firstUndelivered) {}
