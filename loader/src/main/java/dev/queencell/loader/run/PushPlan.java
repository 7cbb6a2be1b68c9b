package dev.queencell.loader.run;

/**
 * How messages are pushed.
 *
 * @param batch messages per request, all to one lane
 * @param payloadBytes size of each; its stamp may need more
 * @param inFlightMax requests at once; a paced one that is due above is shed
 * @param transactionIds whether messages name one, for queues that deduplicate
 * @param attempts429 attempts of a push that is refused with 429
 * @param retries further attempts after any failure; 0 in every measured run
 */
public record PushPlan(
    int batch,
    int payloadBytes,
    int inFlightMax,
    boolean transactionIds,
    int attempts429,
    int retries) {}
