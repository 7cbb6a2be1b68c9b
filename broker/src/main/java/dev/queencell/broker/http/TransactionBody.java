package dev.queencell.broker.http;

import dev.queencell.broker.engine.AckItem;
import dev.queencell.broker.engine.AckStatus;
import dev.queencell.broker.engine.Limits;
import dev.queencell.broker.engine.PopRequest;
import dev.queencell.broker.engine.PushItem;
import dev.queencell.broker.engine.Transactions.Ack;
import dev.queencell.broker.engine.Transactions.Operation;
import dev.queencell.broker.engine.Transactions.Push;
import dev.queencell.broker.http.BodyScan.Kind;
import dev.queencell.broker.store.Slice;
import dev.queencell.service.HttpProblem;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * The body of a transaction, its nested pushes spread out. Everything is checked before anything is
 * returned; payloads and ids are slices of the body.
 */
record TransactionBody(List<Operation> operations, List<String> requiredLeases) {
  private static final Slice NO_PAYLOAD = Slice.utf8("{}");
  private static final Slice NO_ID = Slice.of(new byte[0]);
  private static final int REQUIRED_LEASES_MAX = Limits.TRANSACTION_OPERATIONS_MAX;

  /**
   * Reads a body.
   *
   * @param producer who pushes, as UTF-8; null for nobody. A body that names one is not believed.
   * @throws HttpProblem 400 naming the field that is missing or wrong
   */
  static TransactionBody parse(byte[] body, Slice producer) {
    return new Parser(new BodyScan(body), producer).read();
  }

  private static final class Parser {
    private final BodyScan scan;
    private final Slice producer;
    private final List<Operation> operations = new ArrayList<>();
    private final List<String> leases = new ArrayList<>();

    /** Whether there was one, be it a push of no items. */
    private boolean anyOperation;

    /** How a refusal calls what is being read. */
    private String where = "";

    private String lastQueue;
    private String lastPartition = Names.DEFAULT_PARTITION;

    Parser(BodyScan scan, Slice producer) {
      this.scan = scan;
      this.producer = producer;
    }

    TransactionBody read() {
      if (scan.kind() != Kind.OBJECT) {
        throw BodyScan.bad("expected an object with the field operations");
      }
      scan.open();
      boolean found = false;
      for (var field = nextField(); field != null; field = nextField()) {
        switch (field) {
          case "operations" -> {
            found = true;
            readOperations();
          }
          case "requiredLeases" -> readLeases();
          case "kv", "timers" -> refuseRider(field);
          default -> scan.skip();
        }
      }
      scan.end();
      if (!found) {
        throw BodyScan.bad("operations is missing");
      }
      if (!anyOperation) {
        throw BodyScan.bad("operations is empty");
      }
      return new TransactionBody(operations, leases);
    }

    private String nextField() {
      return scan.nextField("operations", "requiredLeases", "kv", "timers");
    }

    /** These families are not served: a transaction that counts on them must not happen. */
    private void refuseRider(String field) {
      var kind = scan.kind();
      if (kind == Kind.ARRAY) {
        scan.open();
        if (!scan.nextElement()) {
          return;
        }
      } else if (kind == Kind.NULL) {
        scan.skip();
        return;
      }
      throw BodyScan.bad(field + " is not supported by this broker");
    }

    private void readLeases() {
      leases.clear();
      if (scan.kind() == Kind.NULL) {
        scan.skip();
        return;
      }
      if (scan.kind() != Kind.ARRAY) {
        throw BodyScan.bad("requiredLeases must be an array");
      }
      scan.open();
      while (scan.nextElement()) {
        if (scan.kind() != Kind.STRING) {
          throw BodyScan.bad("requiredLeases[%d] must be a string".formatted(leases.size()));
        }
        if (leases.size() == REQUIRED_LEASES_MAX) {
          throw BodyScan.bad("requiredLeases holds more than " + REQUIRED_LEASES_MAX);
        }
        leases.add(scan.text(leases.isEmpty() ? null : leases.getLast()));
      }
      leases.removeIf(String::isEmpty);
    }

    private void readOperations() {
      operations.clear();
      anyOperation = false;
      if (scan.kind() != Kind.ARRAY) {
        throw BodyScan.bad("operations must be an array");
      }
      scan.open();
      for (int i = 0; scan.nextElement(); i++) {
        where = "operations[" + i + "]";
        if (scan.kind() != Kind.OBJECT) {
          throw BodyScan.bad(where + " must be an object");
        }
        readOperation();
        anyOperation = true;
      }
    }

    private void readOperation() {
      // The type decides what the other fields mean, and may stand behind them.
      int start = scan.mark();
      String type = null;
      boolean nested = false;
      scan.open();
      for (var field = scan.nextField("type", "items");
          field != null;
          field = scan.nextField("type", "items")) {
        if (field.equals("type") && scan.kind() == Kind.STRING) {
          type = scan.text("push");
        } else {
          nested |= field.equals("items") && scan.kind() != Kind.NULL;
          scan.skip();
        }
      }
      int end = scan.mark();
      scan.back(start);
      switch (type) {
        case "push" -> {
          if (nested) {
            readNested();
          } else {
            add(readPush());
          }
        }
        case "ack" -> add(readAck());
        case null -> throw BodyScan.bad(where + ".type is missing; it is push or ack");
        default -> throw BodyScan.bad("%s.type is '%s'; it is push or ack".formatted(where, type));
      }
      scan.back(end);
    }

    private void add(Operation operation) {
      if (operations.size() == Limits.TRANSACTION_OPERATIONS_MAX) {
        throw BodyScan.bad("more than %d operations".formatted(Limits.TRANSACTION_OPERATIONS_MAX));
      }
      operations.add(operation);
    }

    private void readNested() {
      var operation = where;
      int before = operations.size();
      scan.open();
      for (var field = scan.nextField("items"); field != null; field = scan.nextField("items")) {
        if (!field.equals("items")) {
          scan.skip();
          continue;
        }
        operations.subList(before, operations.size()).clear();
        if (scan.kind() != Kind.ARRAY) {
          throw BodyScan.bad(operation + ".items must be an array");
        }
        scan.open();
        for (int i = 0; scan.nextElement(); i++) {
          where = operation + ".items[" + i + "]";
          if (scan.kind() != Kind.OBJECT) {
            throw BodyScan.bad(where + " must be an object");
          }
          add(readPush());
        }
      }
    }

    private Push readPush() {
      var queue = "";
      var partition = Names.DEFAULT_PARTITION;
      Slice transactionId = null;
      Slice payload = null;
      Slice data = null;
      UUID traceId = null;
      scan.open();
      for (var field = nextPushField(); field != null; field = nextPushField()) {
        switch (field) {
          case "queue" -> {
            queue = name(field, lastQueue, "");
            lastQueue = queue;
          }
          case "partition" -> {
            partition = name(field, lastPartition, Names.DEFAULT_PARTITION);
            lastPartition = partition;
          }
          case "transactionId" -> transactionId = id(field, Limits.TRANSACTION_ID_BYTES_MAX);
          case "payload" -> payload = scan.raw();
          case "data" -> data = scan.raw();
          case "traceId" -> traceId = uuid(field);
          default -> scan.skip();
        }
      }
      var body = payload != null ? payload : data != null ? data : NO_PAYLOAD;
      if (body.length() > Limits.MESSAGE_BYTES_MAX) {
        throw wrong(
            "payload",
            "is %d bytes long; at most %d".formatted(body.length(), Limits.MESSAGE_BYTES_MAX));
      }
      return new Push(new PushItem(queue, partition, transactionId, producer, body), traceId);
    }

    private String nextPushField() {
      return scan.nextField("queue", "partition", "payload", "data", "transactionId", "traceId");
    }

    private Ack readAck() {
      Slice transactionId = null;
      String partitionId = null;
      String status = null;
      String group = null;
      String leaseId = null;
      String error = null;
      scan.open();
      for (var field = nextAckField(); field != null; field = nextAckField()) {
        switch (field) {
          case "transactionId" -> transactionId = id(field, Integer.MAX_VALUE);
          case "partitionId" -> partitionId = text(field);
          case "status" -> status = text(field);
          case "consumerGroup" -> group = name(field, PopRequest.QUEUE_MODE, "");
          case "leaseId" -> leaseId = text(field);
          case "error" -> error = AckReason.read(scan);
          default -> scan.skip();
        }
      }
      return new Ack(
          group == null || group.isEmpty() ? PopRequest.QUEUE_MODE : group,
          new AckItem(
              transactionId == null ? NO_ID : transactionId,
              partitionId == null ? "" : partitionId,
              AckStatus.of(status),
              leaseId,
              error));
    }

    private String nextAckField() {
      return scan.nextField(
          "transactionId", "partitionId", "status", "consumerGroup", "leaseId", "error");
    }

    private String text(String field) {
      return switch (scan.kind()) {
        case NULL -> {
          scan.skip();
          yield null;
        }
        case STRING -> scan.text(null);
        default -> throw wrong(field, "must be a string");
      };
    }

    private String name(String field, String guess, String absent) {
      if (scan.kind() == Kind.NULL) {
        scan.skip();
        return absent;
      }
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

    /** Null when there is none, or it is empty. */
    private Slice id(String field, int bytesMax) {
      if (scan.kind() == Kind.NULL) {
        scan.skip();
        return null;
      }
      if (scan.kind() != Kind.STRING) {
        throw wrong(field, "must be a string");
      }
      var id = scan.utf8();
      if (id == null) {
        throw wrong(field, "holds a lone surrogate, which no UTF-8 text can hold");
      }
      if (id.length() > bytesMax) {
        throw wrong(field, "is %d UTF-8 bytes long; at most %d".formatted(id.length(), bytesMax));
      }
      return id.length() == 0 ? null : id;
    }

    private UUID uuid(String field) {
      var text = text(field);
      if (text == null || text.isEmpty()) {
        return null;
      }
      var uuid = Uuids.parse(text);
      if (uuid == null) {
        throw wrong(field, "must be a UUID");
      }
      return uuid;
    }

    private HttpProblem wrong(String field, String what) {
      return BodyScan.bad("%s.%s %s".formatted(where, field, what));
    }
  }
}
