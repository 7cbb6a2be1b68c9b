package dev.queencell.broker.http;

import dev.queencell.broker.engine.Limits;
import dev.queencell.broker.engine.Traces;
import dev.queencell.broker.http.BodyScan.Kind;
import dev.queencell.broker.store.Slice;
import dev.queencell.service.HttpProblem;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;

/**
 * The body of a trace; what it notes is kept as it was written.
 *
 * @param group null when none was named
 * @param data JSON text
 * @param names without repeats
 */
record TraceBody(
    Slice transactionId,
    String partitionId,
    String group,
    String eventType,
    String data,
    List<String> names) {
  private static final String EVENT_TYPE_DEFAULT = "info";
  private static final String[] FIELDS = {
    "transactionId", "partitionId", "data", "consumerGroup", "eventType", "traceNames"
  };

  /**
   * Reads a body.
   *
   * @throws HttpProblem 400 naming the field that is missing or wrong
   */
  static TraceBody parse(byte[] body) {
    var scan = new BodyScan(body);
    if (scan.kind() != Kind.OBJECT) {
      throw BodyScan.bad("expected an object");
    }
    scan.open();
    Slice transactionId = null;
    String partitionId = null;
    String group = null;
    String eventType = null;
    Slice data = null;
    var names = List.<String>of();
    for (var field = scan.nextField(FIELDS); field != null; field = scan.nextField(FIELDS)) {
      switch (field) {
        case "transactionId" -> transactionId = transactionId(scan);
        case "partitionId" -> partitionId = text(scan, field);
        case "consumerGroup" -> group = text(scan, field);
        case "eventType" -> eventType = text(scan, field);
        case "data" -> data = scan.kind() == Kind.NULL ? skipped(scan) : scan.raw();
        case "traceNames" -> names = names(scan);
        default -> scan.skip();
      }
    }
    scan.end();
    if (transactionId == null || transactionId.length() == 0 || partitionId == null) {
      throw HttpProblem.badRequest("transactionId and partitionId are required");
    }
    if (data == null) {
      throw HttpProblem.badRequest("data is required");
    }
    if (data.length() > Traces.DATA_BYTES_MAX) {
      throw HttpProblem.badRequest(
          "data is %d bytes long; at most %d".formatted(data.length(), Traces.DATA_BYTES_MAX));
    }
    return new TraceBody(
        transactionId,
        partitionId,
        group,
        eventType == null ? EVENT_TYPE_DEFAULT : eventType,
        data.text(),
        names);
  }

  private static Slice skipped(BodyScan scan) {
    scan.skip();
    return null;
  }

  private static Slice transactionId(BodyScan scan) {
    return switch (scan.kind()) {
      case NULL -> skipped(scan);
      case STRING -> {
        var id = scan.utf8();
        if (id == null) {
          throw BodyScan.bad("transactionId holds a lone surrogate");
        }
        if (id.length() > Limits.TRANSACTION_ID_BYTES_MAX) {
          throw BodyScan.bad(
              "transactionId is %d UTF-8 bytes long; at most %d"
                  .formatted(id.length(), Limits.TRANSACTION_ID_BYTES_MAX));
        }
        yield id;
      }
      default -> throw BodyScan.bad("transactionId must be a string");
    };
  }

  /** A text that is a name; null for null or an empty one. */
  private static String text(BodyScan scan, String where) {
    if (scan.kind() == Kind.NULL) {
      scan.skip();
      return null;
    }
    if (scan.kind() != Kind.STRING) {
      throw BodyScan.bad(where + " must be a string");
    }
    var text = Names.checked(scan.text(null), where);
    return text.isEmpty() ? null : text;
  }

  private static List<String> names(BodyScan scan) {
    var names = new LinkedHashSet<String>();
    if (scan.kind() != Kind.ARRAY) {
      var name = text(scan, "traceNames");
      return name == null ? List.of() : List.of(name);
    }
    scan.open();
    while (scan.nextElement()) {
      var name = text(scan, "traceNames[" + names.size() + "]");
      if (name != null) {
        names.add(name);
      }
      if (names.size() > Traces.NAMES_MAX) {
        throw BodyScan.bad("traceNames holds more than " + Traces.NAMES_MAX);
      }
    }
    return new ArrayList<>(names);
  }
}
