package dev.queencell.broker.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.UUID;

/**
 * A second tenant with a queue, a partition and a group of the same names as the first one's. It
 * pushes its own, completes one of them, and must find the others untouched in the end, whatever
 * the first tenant did in between: restarts of the broker are no matter.
 */
record WireNeighbour(UUID tenant, String queue, String partition, String group) {
  private static final List<String> TEXTS =
      List.of("neighbour's 1", "neighbour's 2", "neighbour's 3");

  /** Does its work. */
  static WireNeighbour beside(ApiFixture api, String queue, String partition, String group) {
    var neighbour = new WireNeighbour(UUID.randomUUID(), queue, partition, group);
    neighbour.client(api).push(queue, partition, TEXTS.toArray(String[]::new));
    var first = neighbour.pop(api);
    assertEquals(TEXTS, WireClient.texts(first));
    neighbour.client(api).ack(first.getFirst(), "completed");
    neighbour.client(api).ack(first.get(1), "retry");
    return neighbour;
  }

  /** It gets what it has not completed, and sees what it has pushed, and nothing else. */
  void check(ApiFixture api) {
    var rest = pop(api);
    assertEquals(TEXTS.subList(1, 3), WireClient.texts(rest), "of the neighbour's " + queue);
    var listed = client(api).get("/api/v1/resources/queues").json().get("queues");
    assertEquals(1, listed.size(), listed.toString());
    assertEquals(queue, listed.get(0).get("name").stringValue());
    client(api).ack(rest.getFirst(), "retry");
  }

  private List<WireClient.Message> pop(ApiFixture api) {
    return client(api)
        .pop(queue, "batch=100&partitions=0&subscriptionMode=all&consumerGroup=" + group);
  }

  private WireClient client(ApiFixture api) {
    return new WireClient(api, tenant);
  }
}
