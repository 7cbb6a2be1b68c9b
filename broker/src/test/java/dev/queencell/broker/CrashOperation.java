package dev.queencell.broker;

import static dev.queencell.broker.CrashClient.pop;
import static dev.queencell.broker.CrashClient.push;

import dev.queencell.broker.CrashClient.Request;
import dev.queencell.service.Json;

/**
 * What a broker is killed at, each with what a queue shows before and after it (see {@link
 * CrashView}). Every one of them can be asked for again: it must lead to the same.
 */
enum CrashOperation {
  PUSH("[x]", "[x, a, b, c]") {
    @Override
    Request prepare(CrashClient client, String queue, String other) {
      client.pushNew(queue, "x");
      return push(queue, "a", "b", "c");
    }
  },
  PUSH_TO_A_NEW_QUEUE("gone", "[a, b, c]") {
    @Override
    Request prepare(CrashClient client, String queue, String other) {
      return push(queue, "a", "b", "c");
    }
  },
  POP("[a, b] @0", "[a, b] @0 leased") {
    @Override
    Request prepare(CrashClient client, String queue, String other) {
      client.pushNew(queue, "a", "b");
      client.popped(pop(queue, "batch=1&autoAck=true"));
      return pop(queue, "batch=1&leaseSeconds=600");
    }
  },
  POP_OF_A_NEW_GROUP("[a, b]", "[a, b] g@-1 leased") {
    @Override
    Request prepare(CrashClient client, String queue, String other) {
      client.pushNew(queue, "a", "b");
      return pop(queue, "batch=1&leaseSeconds=600&consumerGroup=g&subscriptionMode=all");
    }
  },
  AUTO_ACK_POP("[a, b, c] @0", "[a, b, c] @2") {
    @Override
    Request prepare(CrashClient client, String queue, String other) {
      client.pushNew(queue, "a", "b", "c");
      client.popped(pop(queue, "batch=1&autoAck=true"));
      return pop(queue, "batch=10&autoAck=true");
    }
  },
  AUTO_ACK_POP_OF_A_NEW_GROUP("[a, b, c]", "[a, b, c] g@2") {
    @Override
    Request prepare(CrashClient client, String queue, String other) {
      client.pushNew(queue, "a", "b", "c");
      return pop(queue, "batch=10&autoAck=true&consumerGroup=g&subscriptionMode=all");
    }
  },
  ACK_COMPLETED("[a, b] @-1 leased", "[a, b] @0") {
    @Override
    Request prepare(CrashClient client, String queue, String other) {
      return ack(client, queue, "completed");
    }
  },
  ACK_FAILED("[a, b] @-1 leased", "[a, b] @-1 retries=1") {
    @Override
    Request prepare(CrashClient client, String queue, String other) {
      return ack(client, queue, "failed");
    }
  },
  ACK_RETRY("[a, b] @-1 leased", "[a, b] @-1") {
    @Override
    Request prepare(CrashClient client, String queue, String other) {
      return ack(client, queue, "retry");
    }
  },
  ACK_DLQ("[a, b] @-1 leased", "[a, b] @0 letters=1") {
    @Override
    Request prepare(CrashClient client, String queue, String other) {
      return ack(client, queue, "dlq");
    }
  },
  LEASE_EXTEND("[a, b] @-1 leased", "[a, b] @-1 leased long") {
    @Override
    Request prepare(CrashClient client, String queue, String other) {
      client.pushNew(queue, "a", "b");
      var ack = Json.mapper().readTree(client.leasedAck(queue, "completed"));
      return Request.post(
          "/api/v1/lease/" + ack.get("leaseId").stringValue() + "/extend", "{\"seconds\":50000}");
    }
  },
  TRANSACTION("[a, b] @-1 leased", "[a, b] @0 other=[o]") {
    @Override
    Request prepare(CrashClient client, String queue, String other) {
      return transaction(client, queue, other);
    }
  },
  TRANSACTION_OVER_TWO_LANES("[a, b] @-1 leased", "[a, b] @0 other=[o]") {
    @Override
    Request prepare(CrashClient client, String queue, String other) {
      return transaction(client, queue, other);
    }
  },
  CONFIGURE("[a]", "[a] leaseTime=77") {
    @Override
    Request prepare(CrashClient client, String queue, String other) {
      client.pushNew(queue, "a");
      return configure(queue);
    }
  },
  CONFIGURE_A_NEW_QUEUE("gone", "[] leaseTime=77") {
    @Override
    Request prepare(CrashClient client, String queue, String other) {
      return configure(queue);
    }
  },
  SEEK("[a, b, c] @0", "[a, b, c] @2") {
    @Override
    Request prepare(CrashClient client, String queue, String other) {
      client.pushNew(queue, "a", "b", "c");
      client.popped(pop(queue, "batch=1&autoAck=true"));
      return Request.post(
          "/api/v1/consumer-groups/__QUEUE_MODE__/queues/" + queue + "/seek", "{\"toEnd\":true}");
    }
  },
  DELETE_QUEUE("[a, b, c] @1 leased letters=1", "gone") {
    @Override
    Request prepare(CrashClient client, String queue, String other) {
      client.pushNew(queue, "a", "b", "c");
      client.popped(pop(queue, "batch=1&autoAck=true"));
      client.json(Request.post("/api/v1/ack", client.leasedAck(queue, "dlq")));
      client.leasedAck(queue, "completed");
      return Request.delete("/api/v1/resources/queues/" + queue);
    }
  },
  DELETE_GROUP("[a, b, c] g@0", "[a, b, c]") {
    @Override
    Request prepare(CrashClient client, String queue, String other) {
      client.pushNew(queue, "a", "b", "c");
      client.popped(pop(queue, "batch=1&autoAck=true&consumerGroup=g&subscriptionMode=all"));
      return Request.delete("/api/v1/consumer-groups/g/queues/" + queue);
    }
  },
  DLQ_REPLAY("[a, b] @0 letters=1", "[a, b, a] @0") {
    @Override
    Request prepare(CrashClient client, String queue, String other) {
      client.json(ack(client, queue, "dlq"));
      var letters = client.json(Request.get("/api/v1/dlq?queue=" + queue)).get("messages");
      return Request.post("/api/v1/dlq/" + letters.get(0).get("id").stringValue() + "/replay", "");
    }
  };

  final String before;
  final String after;

  CrashOperation(String before, String after) {
    this.before = before;
    this.after = after;
  }

  /** Brings a queue to where the operation begins; the operation's request. */
  abstract Request prepare(CrashClient client, String queue, String other);

  /** Whom the operation is about. */
  String group() {
    return before.contains("g@") || after.contains("g@") ? "g" : "__QUEUE_MODE__";
  }

  boolean isPush() {
    return this == PUSH || this == PUSH_TO_A_NEW_QUEUE;
  }

  /** All that it could be given is given by the first of it. */
  boolean isPop() {
    return name().contains("POP");
  }

  private static Request ack(CrashClient client, String queue, String status) {
    client.pushNew(queue, "a", "b");
    return Request.post("/api/v1/ack", client.leasedAck(queue, status));
  }

  private static Request transaction(CrashClient client, String queue, String other) {
    client.pushNew(queue, "a", "b");
    return Request.post(
        "/api/v1/transaction",
        "{\"operations\":[{\"type\":\"ack\",%s,{\"type\":\"push\",\"queue\":\"%s\",\"payload\":\"o\"}]}"
            .formatted(client.leasedAck(queue, "completed").substring(1), other));
  }

  private static Request configure(String queue) {
    return Request.post(
        "/api/v1/configure", "{\"queue\":\"" + queue + "\",\"options\":{\"leaseTime\":77}}");
  }
}
