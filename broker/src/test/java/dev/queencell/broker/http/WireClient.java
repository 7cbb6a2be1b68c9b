package dev.queencell.broker.http;

import dev.queencell.service.Json;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** One tenant's client, in the words of the contract. */
record WireClient(ApiFixture api, UUID tenant) {
  /** One delivered message. */
  record Message(JsonNode json) {
    String text() {
      return json.get("data").stringValue();
    }

    String transactionId() {
      return json.get("transactionId").stringValue();
    }

    String partitionId() {
      return json.get("partitionId").stringValue();
    }

    String leaseId() {
      return json.get("leaseId").stringValue();
    }

    int attempt() {
      return json.get("deliveryAttempt").intValue();
    }
  }

  static List<String> texts(List<Message> messages) {
    return messages.stream().map(Message::text).toList();
  }

  /** Pushes texts with transaction ids that are the texts themselves. */
  JsonNode push(String queue, String partition, String... texts) {
    var body = Json.object();
    var items = body.putArray("items");
    for (var text : texts) {
      items
          .addObject()
          .put("queue", queue)
          .put("partition", partition)
          .put("transactionId", text)
          .put("payload", text);
    }
    var answer = post("/api/v1/push", body);
    if (answer.status() != 201) {
      throw new AssertionError(answer.status() + " " + answer.body());
    }
    return answer.json();
  }

  /** Pops from a queue; empty for a 204. */
  List<Message> pop(String queue, String query) {
    return popPath("/api/v1/pop/queue/" + queue + "?" + query);
  }

  List<Message> popPath(String path) {
    var answer = get(path);
    if (answer.status() == 204) {
      return List.of();
    }
    if (answer.status() != 200) {
      throw new AssertionError(answer.status() + " " + answer.body());
    }
    var messages = new ArrayList<Message>();
    answer.json().get("messages").forEach(json -> messages.add(new Message(json)));
    return messages;
  }

  /** Sends a pop on a connection of its own and reads nothing. */
  void sendPop(Socket socket, String queue, String query, String header) throws IOException {
    var request =
        String.join(
            "\r\n",
            "GET /api/v1/pop/queue/" + queue + "?" + query + " HTTP/1.1",
            "Host: localhost",
            "x-queen-tenant: " + tenant,
            header,
            "",
            "");
    socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
  }

  /** Acknowledges one message under its lease. */
  JsonNode ack(Message message, String status) {
    return ack(message.transactionId(), message.partitionId(), message.leaseId(), status);
  }

  JsonNode ack(String transactionId, String partitionId, String leaseId, String status) {
    return post("/api/v1/ack", item(transactionId, partitionId, leaseId, status)).json().get(0);
  }

  /** Acknowledges messages in one call, each with its own status. */
  JsonNode ackBatch(List<Message> messages, String... statuses) {
    var body = Json.object();
    var items = body.putArray("acknowledgments");
    for (int i = 0; i < messages.size(); i++) {
      var message = messages.get(i);
      items.add(
          item(message.transactionId(), message.partitionId(), message.leaseId(), statuses[i]));
    }
    return post("/api/v1/ack/batch", body).json();
  }

  JsonNode configure(String queue, String options) {
    var body = Json.object().put("queue", queue);
    body.set("options", Json.mapper().readTree(options));
    return post("/api/v1/configure", body).json();
  }

  ApiFixture.Answer get(String path) {
    return api.getAs(tenant, path);
  }

  ApiFixture.Answer delete(String path) {
    return api.send(api.request(path).header("x-queen-tenant", tenant.toString()).DELETE());
  }

  ApiFixture.Answer post(String path, ObjectNode body) {
    return api.postAs(tenant, path, body.toString());
  }

  private static ObjectNode item(
      String transactionId, String partitionId, String leaseId, String status) {
    return Json.object()
        .put("transactionId", transactionId)
        .put("partitionId", partitionId)
        .put("leaseId", leaseId)
        .put("status", status);
  }
}
