package dev.queencell.broker.engine;

import dev.queencell.broker.crypto.PayloadCipher;
import dev.queencell.broker.store.QueueOptions;
import dev.queencell.broker.store.Slice;

/**
 * Encryption at rest as a queue asks for it. A queue that asks for it while no key is loaded takes
 * nothing: a payload that was to be sealed is never stored in plain text.
 *
 * <p>Whoever appends on a lane asks {@link #refusal} first; {@link Lane#append} seals.
 */
final class Sealing {
  private static final String NO_KEY =
      "the queue is encrypted (encryptionEnabled) and this broker has no QUEEN_ENCRYPTION_KEY";

  private final PayloadCipher cipher;

  Sealing(PayloadCipher cipher) {
    this.cipher = cipher;
  }

  /** Why nothing can be appended to a queue with these options; null when it can. */
  String refusal(QueueOptions options) {
    return options.encryptionEnabled() && !cipher.loaded() ? NO_KEY : null;
  }

  /**
   * Checks options that somebody wants to set.
   *
   * @throws OptionRefusedException when they ask for encryption without a key
   */
  void check(QueueOptions options) {
    if (refusal(options) != null) {
      throw new OptionRefusedException(
          "options.encryptionEnabled can't be true: this broker has no QUEEN_ENCRYPTION_KEY");
    }
  }

  /** The item as it is stored. */
  PushItem stored(PushItem item, QueueOptions options) {
    if (!options.encryptionEnabled()) {
      return item;
    }
    if (!cipher.loaded()) {
      throw new IllegalStateException(NO_KEY);
    }
    return new PushItem(
        item.queue(),
        item.partition(),
        item.transactionId(),
        item.producer(),
        sealed(item.payload()),
        item.id(),
        item.delaySeconds());
  }

  /**
   * A stored payload that moves to another place of its queue: sealed if that is asked for now and
   * it is not yet; what can't be sealed for want of a key stays as it is stored.
   */
  Slice moved(Slice payload, QueueOptions options) {
    boolean wanted = options.encryptionEnabled() && cipher.loaded();
    boolean sealed = cipher.open(payload.array(), payload.offset(), payload.length()) != null;
    return wanted && !sealed ? sealed(payload) : payload;
  }

  /** A stored payload as its producer sent it, before it is appended anew. */
  Slice opened(Slice payload) {
    var plain = cipher.open(payload.array(), payload.offset(), payload.length());
    return plain == null ? payload : Slice.of(plain);
  }

  private Slice sealed(Slice payload) {
    return Slice.of(cipher.seal(payload.array(), payload.offset(), payload.length()));
  }
}
