package dev.queencell.broker.http;

import dev.queencell.broker.engine.PushItem;
import dev.queencell.broker.engine.PushOutcome;
import java.util.List;

/**
 * Writes the answer of a push: an element per item, in request order. The names in snake case are
 * the contract's; the camel-case ones repeat them for clients that expect those.
 */
final class PushAnswer {
  private static final byte[] INDEX = JsonOut.ascii("{\"index\":");
  private static final byte[] MESSAGE_ID = JsonOut.ascii(",\"message_id\":\"");
  private static final byte[] MESSAGE_ID_ALIAS = JsonOut.ascii("\",\"messageId\":\"");
  private static final byte[] TRANSACTION_ID = JsonOut.ascii("\",\"transaction_id\":");
  private static final byte[] TRANSACTION_ID_ALIAS = JsonOut.ascii(",\"transactionId\":");
  private static final byte[] QUEUE = JsonOut.ascii(",\"queueName\":");
  private static final byte[] QUEUED = JsonOut.ascii(",\"status\":\"queued\"}");
  private static final byte[] DUPLICATE = JsonOut.ascii(",\"status\":\"duplicate\"}");
  private static final byte[] BUFFERED = JsonOut.ascii(",\"status\":\"buffered\"}");
  private static final byte[] FAILED = JsonOut.ascii(",\"status\":\"failed\"}");
  private static final byte[] FAILED_WITH = JsonOut.ascii(",\"status\":\"failed\",\"error\":");
  private static final int UUID_CHARS = 36;
  private static final int ITEM_BYTES = 320;

  private PushAnswer() {}

  static JsonOut write(List<PushItem> items, List<PushOutcome> outcomes) {
    var out = new JsonOut(items.size() * ITEM_BYTES);
    var queue = new JsonOut(128);
    String lastQueue = null;
    out.raw('[');
    for (int i = 0; i < items.size(); i++) {
      if (i > 0) {
        out.raw(',');
      }
      var item = items.get(i);
      var outcome = outcomes.get(i);
      out.raw(INDEX).number(i);
      ids(out, outcome);
      if (!item.queue().equals(lastQueue)) {
        lastQueue = item.queue();
        queue.clear();
        queue.raw(QUEUE).string(lastQueue);
      }
      out.raw(queue);
      status(out, outcome);
    }
    return out.raw(']');
  }

  private static void status(JsonOut out, PushOutcome outcome) {
    switch (outcome.status()) {
      case QUEUED -> out.raw(QUEUED);
      case DUPLICATE -> out.raw(DUPLICATE);
      case BUFFERED -> out.raw(BUFFERED);
      case FAILED -> {
        if (outcome.reason() == null) {
          out.raw(FAILED);
        } else {
          out.raw(FAILED_WITH).string(outcome.reason()).raw('}');
        }
      }
    }
  }

  private static void ids(JsonOut out, PushOutcome outcome) {
    var id = outcome.messageId() == null ? PushOutcome.UNKNOWN_ID : outcome.messageId();
    out.raw(MESSAGE_ID);
    int idAt = out.size();
    out.uuid(id.getMostSignificantBits(), id.getLeastSignificantBits());
    out.raw(MESSAGE_ID_ALIAS).again(idAt, UUID_CHARS);
    out.raw(TRANSACTION_ID);
    int transactionAt = out.size();
    if (outcome.transactionId() == null) {
      out.raw('"').again(idAt, UUID_CHARS).raw('"');
    } else {
      out.string(outcome.transactionId());
    }
    int length = out.size() - transactionAt;
    out.raw(TRANSACTION_ID_ALIAS).again(transactionAt, length);
  }
}
