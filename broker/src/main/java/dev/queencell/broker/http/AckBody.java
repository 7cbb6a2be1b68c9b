package dev.queencell.broker.http;

import dev.queencell.broker.engine.AckItem;
import dev.queencell.broker.engine.AckStatus;
import dev.queencell.broker.engine.PopRequest;
import dev.queencell.broker.http.BodyScan.Kind;
import dev.queencell.broker.store.Slice;
import dev.queencell.service.HttpProblem;
import java.util.ArrayList;
import java.util.List;

/**
 * The body of an acknowledgement: one item with its group beside it, or a list under one group.
 *
 * @param group never empty
 */
record AckBody(String group, List<AckItem> items) {
  /** Acknowledgements of one call; far above what one pop can hand out. */
  static final int ITEMS_MAX = 100_000;

  private static final String ITEMS = "acknowledgments";
  private static final String GROUP = "consumerGroup";
  private static final String TRANSACTION_ID = "transactionId";
  private static final String PARTITION_ID = "partitionId";
  private static final String LEASE_ID = "leaseId";
  private static final String STATUS = "status";
  private static final String ERROR = "error";

  private static final Slice NO_ID = Slice.of(new byte[0]);

  /**
   * Reads the body of {@code POST /api/v1/ack}.
   *
   * @throws HttpProblem 400 naming the field that is wrong
   */
  static AckBody parseSingle(byte[] body) {
    var scan = new BodyScan(body);
    if (scan.kind() != Kind.OBJECT) {
      throw BodyScan.bad("expected an object with the field transactionId");
    }
    var fields = new Fields(scan, "");
    fields.read();
    scan.end();
    return new AckBody(effectiveGroup(fields.group), List.of(fields.item()));
  }

  /**
   * Reads the body of {@code POST /api/v1/ack/batch}.
   *
   * @throws HttpProblem 400 naming the field that is missing or wrong
   */
  static AckBody parseBatch(byte[] body) {
    var scan = new BodyScan(body);
    if (scan.kind() != Kind.OBJECT) {
      throw BodyScan.bad("expected an object with the field acknowledgments");
    }
    scan.open();
    String group = null;
    List<AckItem> items = null;
    for (var field = scan.nextField(GROUP, ITEMS);
        field != null;
        field = scan.nextField(GROUP, ITEMS)) {
      switch (field) {
        case GROUP -> group = group(scan, "");
        case ITEMS -> items = readItems(scan);
        default -> scan.skip();
      }
    }
    scan.end();
    if (items == null) {
      throw BodyScan.bad("acknowledgments is missing");
    }
    return new AckBody(effectiveGroup(group), items);
  }

  private static List<AckItem> readItems(BodyScan scan) {
    if (scan.kind() != Kind.ARRAY) {
      throw BodyScan.bad("acknowledgments must be an array");
    }
    var items = new ArrayList<AckItem>();
    scan.open();
    while (scan.nextElement()) {
      var where = "acknowledgments[" + items.size() + "]";
      if (scan.kind() != Kind.OBJECT) {
        throw BodyScan.bad(where + " must be an object");
      }
      if (items.size() == ITEMS_MAX) {
        throw BodyScan.bad("acknowledgments holds more than " + ITEMS_MAX);
      }
      var fields = new Fields(scan, where + ".");
      // Lists come from one pop: neighbours share their lease and mostly their partition.
      if (!items.isEmpty()) {
        fields.partitionGuess = items.getLast().partitionId();
        fields.leaseGuess = items.getLast().leaseId();
      }
      fields.read();
      items.add(fields.item());
    }
    return items;
  }

  private static String effectiveGroup(String group) {
    return group == null || group.isEmpty() ? PopRequest.QUEUE_MODE : group;
  }

  private static String group(BodyScan scan, String where) {
    var group = text(scan, where + "consumerGroup", null);
    var problem = group == null ? null : Names.problemOf(group);
    if (problem != null) {
      throw BodyScan.bad(where + "consumerGroup " + problem);
    }
    return group;
  }

  private static String text(BodyScan scan, String where, String guess) {
    return switch (scan.kind()) {
      case NULL -> {
        scan.skip();
        yield null;
      }
      case STRING -> scan.text(guess);
      default -> throw BodyScan.bad(where + " must be a string");
    };
  }

  /** The fields of one acknowledgement while they are read. */
  private static final class Fields {
    private final BodyScan scan;
    private final String where;
    private String partitionGuess;
    private String leaseGuess;
    private Slice transactionId = NO_ID;
    private String partitionId = "";
    private AckStatus status = AckStatus.COMPLETED;
    private String group;
    private String leaseId;
    private String error;

    Fields(BodyScan scan, String where) {
      this.scan = scan;
      this.where = where;
    }

    void read() {
      scan.open();
      for (var field = nextField(); field != null; field = nextField()) {
        switch (field) {
          case TRANSACTION_ID -> transactionId = transactionId();
          case PARTITION_ID -> {
            var id = text(scan, where + field, partitionGuess);
            partitionId = id == null ? "" : id;
          }
          case LEASE_ID -> leaseId = text(scan, where + field, leaseGuess);
          case STATUS -> status = AckStatus.of(text(scan, where + field, "completed"));
          case ERROR -> error = AckReason.read(scan);
          case GROUP -> group = group(scan, where);
          default -> scan.skip();
        }
      }
    }

    private String nextField() {
      return scan.nextField(TRANSACTION_ID, PARTITION_ID, LEASE_ID, STATUS, ERROR, GROUP);
    }

    AckItem item() {
      return new AckItem(transactionId, partitionId, status, leaseId, error);
    }

    private Slice transactionId() {
      return switch (scan.kind()) {
        case NULL -> {
          scan.skip();
          yield NO_ID;
        }
        case STRING -> {
          var id = scan.utf8();
          if (id == null) {
            throw BodyScan.bad(where + "transactionId holds a lone surrogate");
          }
          yield id;
        }
        default -> throw BodyScan.bad(where + "transactionId must be a string");
      };
    }
  }
}
