package dev.queencell.broker.http;

import dev.queencell.broker.engine.Limits;
import dev.queencell.broker.engine.PushItem;
import dev.queencell.broker.http.BodyScan.Kind;
import dev.queencell.broker.store.Slice;
import dev.queencell.service.HttpProblem;
import java.util.ArrayList;
import java.util.List;

/** Reads the body of a push. Everything is checked before anything is returned. */
final class PushBody {
  private static final String ITEMS = "items";
  private static final String QUEUE = "queue";
  private static final String PARTITION = "partition";
  private static final String TRANSACTION_ID = "transactionId";
  private static final String PAYLOAD = "payload";
  private static final String DELAY_SECONDS = "delaySeconds";

  private final BodyScan scan;
  private final Slice producer;
  private final List<PushItem> items = new ArrayList<>();
  private String lastQueue;
  private String lastPartition = Names.DEFAULT_PARTITION;

  private PushBody(BodyScan scan, Slice producer) {
    this.scan = scan;
    this.producer = producer;
  }

  /**
   * Returns the items, their payloads and ids as slices of {@code body}.
   *
   * @param producer who pushes, as UTF-8; null for nobody. A body that names one is not believed.
   * @throws HttpProblem 400 naming the field that is missing or wrong
   */
  static List<PushItem> parse(byte[] body, Slice producer) {
    return new PushBody(new BodyScan(body), producer).read();
  }

  private List<PushItem> read() {
    if (scan.kind() != Kind.OBJECT) {
      throw BodyScan.bad("expected an object with the field items");
    }
    scan.open();
    boolean found = false;
    for (var field = scan.nextField(ITEMS); field != null; field = scan.nextField(ITEMS)) {
      if (field.equals(ITEMS)) {
        found = true;
        readItems();
      } else {
        scan.skip();
      }
    }
    scan.end();
    if (!found) {
      throw BodyScan.bad("items is missing");
    }
    return items;
  }

  private void readItems() {
    // Of a repeated field the last one counts.
    items.clear();
    if (scan.kind() != Kind.ARRAY) {
      throw BodyScan.bad("items must be an array");
    }
    scan.open();
    while (scan.nextElement()) {
      if (scan.kind() != Kind.OBJECT) {
        throw BodyScan.bad("items[%d] must be an object".formatted(items.size()));
      }
      if (items.size() == Limits.PUSH_ITEMS_MAX) {
        throw BodyScan.bad("items holds more than " + Limits.PUSH_ITEMS_MAX);
      }
      items.add(readItem());
    }
  }

  private PushItem readItem() {
    String queue = null;
    var partition = Names.DEFAULT_PARTITION;
    Slice transactionId = null;
    Slice payload = null;
    int delaySeconds = 0;
    scan.open();
    for (var field = nextItemField(); field != null; field = nextItemField()) {
      switch (field) {
        case QUEUE -> {
          queue = name(QUEUE, lastQueue);
          lastQueue = queue;
        }
        case PARTITION -> {
          if (scan.kind() == Kind.NULL) {
            scan.skip();
            partition = Names.DEFAULT_PARTITION;
          } else {
            partition = name(PARTITION, lastPartition);
            lastPartition = partition;
          }
        }
        case TRANSACTION_ID -> transactionId = transactionId();
        case PAYLOAD -> payload = scan.raw();
        case DELAY_SECONDS -> delaySeconds = delaySeconds();
        default -> scan.skip();
      }
    }
    if (queue == null) {
      throw wrong(QUEUE, "is missing");
    }
    if (payload == null) {
      throw wrong(PAYLOAD, "is missing");
    }
    if (payload.length() > Limits.MESSAGE_BYTES_MAX) {
      throw wrong(
          PAYLOAD,
          "is %d bytes long; at most %d".formatted(payload.length(), Limits.MESSAGE_BYTES_MAX));
    }
    return new PushItem(queue, partition, transactionId, producer, payload, null, delaySeconds);
  }

  private String nextItemField() {
    return scan.nextField(QUEUE, PARTITION, PAYLOAD, TRANSACTION_ID, DELAY_SECONDS);
  }

  private String name(String field, String guess) {
    if (scan.kind() != Kind.STRING) {
      throw wrong(field, "must be a string");
    }
    var name = scan.text(guess);
    // What passed a moment ago passes again.
    var problem = name.equals(guess) ? null : Names.problemOf(name);
    if (problem != null) {
      throw wrong(field, problem);
    }
    return name;
  }

  /** Null when there is none. Empty counts as none: an empty id could never be acknowledged. */
  private Slice transactionId() {
    var kind = scan.kind();
    if (kind == Kind.NULL) {
      scan.skip();
      return null;
    }
    if (kind != Kind.STRING) {
      throw wrong(TRANSACTION_ID, "must be a string");
    }
    var id = scan.utf8();
    if (id == null) {
      throw wrong(TRANSACTION_ID, "holds a lone surrogate, which no UTF-8 text can hold");
    }
    if (id.length() > Limits.TRANSACTION_ID_BYTES_MAX) {
      throw wrong(
          TRANSACTION_ID,
          "is %d UTF-8 bytes long; at most %d"
              .formatted(id.length(), Limits.TRANSACTION_ID_BYTES_MAX));
    }
    return id.length() == 0 ? null : id;
  }

  private int delaySeconds() {
    if (scan.kind() == Kind.NULL) {
      scan.skip();
      return 0;
    }
    var text = scan.raw().text();
    if (!text.matches("\\d{1,9}") || Integer.parseInt(text) > Limits.DELAY_SECONDS_MAX) {
      throw wrong(DELAY_SECONDS, "must be a whole number from 0 to " + Limits.DELAY_SECONDS_MAX);
    }
    return Integer.parseInt(text);
  }

  private HttpProblem wrong(String field, String what) {
    return BodyScan.bad("items[%d].%s %s".formatted(items.size(), field, what));
  }
}
