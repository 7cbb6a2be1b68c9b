package dev.queencell.broker.engine;

import dev.queencell.broker.store.Slice;

/**
 * One message to append.
 *
 * @param transactionId UTF-8, or null: the minted message id is used
 * @param producer who pushed, from the credential; null for nobody
 * @param payload JSON text, stored byte for byte
 */
public record PushItem(
    String queue, String partition, Slice transactionId, Slice producer, Slice payload) {}
