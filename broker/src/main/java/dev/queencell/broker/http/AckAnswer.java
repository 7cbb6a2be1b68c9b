package dev.queencell.broker.http;

import dev.queencell.broker.engine.AckItem;
import dev.queencell.broker.engine.AckOutcome;
import java.util.List;

/**
 * Writes the answer of an acknowledgement, always an array. Older clients like an object for a
 * single one; no document is both, so that the contract of 1.x decides.
 */
final class AckAnswer {
  private static final byte[] INDEX = JsonOut.ascii("{\"index\":");
  private static final byte[] TRANSACTION_ID = JsonOut.ascii(",\"transactionId\":");
  private static final byte[] SUCCESS = JsonOut.ascii(",\"success\":");
  private static final byte[] ERROR = JsonOut.ascii(",\"error\":");
  private static final byte[] RELEASED = JsonOut.ascii(",\"leaseReleased\":");
  private static final byte[] DLQ = JsonOut.ascii(",\"dlq\":");
  private static final byte[] NOOP = JsonOut.ascii(",\"noop\":");
  private static final byte[] CONFLATED = JsonOut.ascii(",\"conflated\":");
  private static final int ITEM_BYTES = 192;

  private AckAnswer() {}

  static JsonOut write(List<AckItem> items, List<AckOutcome> outcomes) {
    var out = new JsonOut(items.size() * ITEM_BYTES);
    out.raw('[');
    for (int i = 0; i < items.size(); i++) {
      if (i > 0) {
        out.raw(',');
      }
      var outcome = outcomes.get(i);
      out.raw(INDEX).number(i);
      out.raw(TRANSACTION_ID).string(items.get(i).transactionId());
      out.raw(SUCCESS).bool(outcome.success());
      out.raw(ERROR).string(outcome.error());
      out.raw(RELEASED).bool(outcome.leaseReleased());
      out.raw(DLQ).bool(outcome.deadLettered());
      out.raw(NOOP).bool(outcome.noop());
      if (outcome.conflated() >= 0) {
        out.raw(CONFLATED).number(outcome.conflated());
      }
      out.raw('}');
    }
    return out.raw(']');
  }
}
