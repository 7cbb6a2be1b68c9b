package dev.queencell.broker.http;

import dev.queencell.broker.crypto.PayloadCipher;
import dev.queencell.broker.engine.MessageBrowser.Detail;
import dev.queencell.broker.engine.MessageBrowser.Message;
import dev.queencell.broker.engine.MessageBrowser.Page;
import dev.queencell.broker.engine.MessageBrowser.Readers;
import dev.queencell.broker.store.Slice;
import dev.queencell.service.Json;
import java.time.Instant;

/**
 * The documents of browsed messages; payloads are copied into them, opened where they are sealed.
 */
final class MessageDocuments {
  private MessageDocuments() {}

  static JsonOut list(Page page, PayloadCipher cipher) {
    var out = new JsonOut(4096).raw(JsonOut.ascii("{\"messages\":["));
    for (var message : page.messages()) {
      if (out.buffer()[out.size() - 1] == '}') {
        out.raw(',');
      }
      entry(out, message, cipher);
    }
    mode(key(out.raw(']'), "mode"), page.readers());
    key(out, "total").number(page.messages().size());
    // More than the contract's: whether a limit left something out.
    return key(out, "complete").bool(page.complete()).raw('}');
  }

  private static void entry(JsonOut out, Message message, PayloadCipher cipher) {
    common(out.raw('{'), message, cipher);
    key(out, "txnHash").uuid(message.key());
    key(out, "queueStatus").string(BrowseRoutes.word(message.queueStatus()));
    out.raw(JsonOut.ascii(",\"busStatus\":{\"consumedBy\":")).number(message.consumedBy());
    key(out, "totalGroups").number(message.groups()).raw('}');
    key(out, "payloadAvailable").bool(true);
    out.raw(JsonOut.ascii(",\"segment\":{\"seq\":")).number(message.segmentBase());
    key(out, "frameIdx").number(message.offset() - message.segmentBase()).raw('}');
    key(out, "queuePriority").number(message.place().priority()).raw('}');
  }

  static JsonOut one(Detail detail, PayloadCipher cipher) {
    var out = new JsonOut(4096).raw('{');
    common(out, detail.message(), cipher);
    key(out, "errorMessage").string(detail.error());
    key(out, "retryCount").number(detail.retryCount());
    key(out, "consumerGroups").raw('[');
    for (var group : detail.groups()) {
      if (out.buffer()[out.size() - 1] == '}') {
        out.raw(',');
      }
      out.raw(JsonOut.ascii("{\"name\":")).string(group.name());
      key(out, "group").string(group.name());
      key(out, "consumed").bool(group.consumed());
      time(key(out, "leaseExpiresAt"), group.leaseExpiresAt()).raw('}');
    }
    mode(key(out.raw(']'), "mode"), detail.readers());
    var options = QueueDocuments.options(detail.options());
    return key(out, "queueConfig").raw(Json.bytes(options)).raw('}');
  }

  /** What a list and a single message both tell; begins an object. */
  private static void common(JsonOut out, Message message, PayloadCipher cipher) {
    var place = message.place();
    out.raw(JsonOut.ascii("\"id\":")).uuid(message.id());
    key(out, "transactionId").string(message.transactionId());
    key(out, "partitionId").uuid(place.partitionId());
    key(out, "queuePath").string(place.queue() + '/' + place.partition());
    key(out, "queue").string(place.queue());
    key(out, "partition").string(place.partition());
    key(out, "namespace").string(place.namespace());
    key(out, "task").string(place.task());
    key(out, "status").string(BrowseRoutes.word(message.status()));
    key(out, "traceId").uuid(message.traceId());
    key(out, "producerSub").string(message.producer());
    key(out, "offset").number(message.offset());
    key(out, "createdAt").time(message.createdAtMicros());
    time(key(out, "leaseExpiresAt"), message.leaseExpiresAt());
    var stored = message.payload();
    var opened = cipher.open(stored.array(), stored.offset(), stored.length());
    key(out, "isEncrypted").bool(opened != null);
    var payload = opened == null ? stored : Slice.of(opened);
    key(out, "data").raw(payload.array(), payload.offset(), payload.length());
    key(out, "payload").raw(payload.array(), payload.offset(), payload.length());
  }

  private static JsonOut mode(JsonOut out, Readers readers) {
    boolean groups = readers.groups() > 0;
    var type = readers.queueMode() ? groups ? "hybrid" : "queue" : groups ? "bus" : "none";
    out.raw(JsonOut.ascii("{\"hasQueueMode\":")).bool(readers.queueMode());
    key(out, "busGroupsCount").number(readers.groups());
    return key(out, "type").string(type).raw('}');
  }

  private static JsonOut time(JsonOut out, Instant time) {
    return out.string(time == null ? null : Times.text(time));
  }

  private static JsonOut key(JsonOut out, String name) {
    return out.raw(JsonOut.ascii(",\"" + name + "\":"));
  }
}
