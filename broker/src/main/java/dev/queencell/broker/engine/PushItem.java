package dev.queencell.broker.engine;

import dev.queencell.broker.store.Slice;
import java.util.UUID;

/**
 * One message to append.
 *
 * @param transactionId UTF-8, or null: the minted message id is used
 * @param producer who pushed, from the credential; null for nobody
 * @param payload JSON text, stored byte for byte
 * @param id the message id that was promised before; null has the lane mint one
 * @param delaySeconds how long after it was written it may be delivered; 0 for at once. A lane
 *     waits for its head: what stands behind a delayed message waits with it.
 */
public record PushItem(
    String queue,
    String partition,
    Slice transactionId,
    Slice producer,
    Slice payload,
    UUID id,
    int delaySeconds) {

  public PushItem(
      String queue, String partition, Slice transactionId, Slice producer, Slice payload, UUID id) {
    this(queue, partition, transactionId, producer, payload, id, 0);
  }

  public PushItem(
      String queue, String partition, Slice transactionId, Slice producer, Slice payload) {
    this(queue, partition, transactionId, producer, payload, null);
  }
}
