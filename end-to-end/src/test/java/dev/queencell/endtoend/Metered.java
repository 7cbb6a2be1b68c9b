package dev.queencell.endtoend;

import static org.junit.jupiter.api.Assertions.assertEquals;

import tools.jackson.databind.JsonNode;

/** What the tenant state has of one tenant, in messages. */
record Metered(long pushed, long delivered) {
  /** Of the last hours; the totals are final when the proxy has stopped and its spool is empty. */
  static Metered of(CellProcesses cell, String clusterId) {
    long pushed = 0;
    long delivered = 0;
    var path = "/api/cp/clusters/" + clusterId + "/usage?hours=3";
    for (var row : cell.control("GET", path, "").get("rows")) {
      long messages = row.get("msgs").longValue();
      switch (row.get("op_class").stringValue()) {
        case "push" -> pushed += messages;
        case "delivery" -> delivered += messages;
        default -> assertEquals(0, messages, row::toString);
      }
    }
    return new Metered(pushed, delivered);
  }

  /** What the loader was told, from its record of a tenant. */
  static Metered told(JsonNode counted) {
    return new Metered(
        counted.get("accepted").longValue(),
        counted.get("delivered").longValue() + counted.get("duplicate").longValue());
  }

  Metered minus(Metered before) {
    return new Metered(pushed - before.pushed, delivered - before.delivered);
  }
}
