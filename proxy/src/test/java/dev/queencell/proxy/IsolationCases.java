package dev.queencell.proxy;

import dev.queencell.service.Json;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * A valid call of every route of the broker's API document, which names things by their names and
 * ids: whose, is filled in later.
 */
final class IsolationCases {
  private static final String DOCUMENT = "/dev/queencell/broker/http/openapi.json";
  private static final Pattern COLUMNS = Pattern.compile(" *\\| *");
  private static final Pattern SPACES = Pattern.compile(" +");

  /** Route, query, body. A route may have several lines; the destructive ones come last. */
  private static final String TABLE =
      """
      GET    /health                                     |  |
      GET    /openapi.json                               |  |
      GET    /docs                                       |  |
      GET    /status                                     |  |
      GET    /metrics                                    |  |
      GET    /metrics/prometheus                         |  |
      GET    /api/v1/status                              |  |
      GET    /api/v1/status/buffers                      |  |
      GET    /api/v1/status/queues                       |  |
      GET    /api/v1/status/queues/{queue}               |  |
      GET    /api/v1/status/analytics                    | ?queue={queue} |
      GET    /api/v1/analytics/queue-lag                 | ?queue={queue} |
      GET    /api/v1/analytics/queue-ops                 | ?queue={queue} |
      GET    /api/v1/analytics/queue-parked-replicas     | ?queue={queue} |
      GET    /api/v1/analytics/retention                 | ?queue={queue} |
      GET    /api/v1/analytics/workload                  | ?queue={queue} |
      GET    /api/v1/analytics/dlq-signatures            | ?queue={queue} |
      GET    /api/v1/analytics/partition-liveness        | ?queue={queue} |
      GET    /api/v1/analytics/system-metrics            |  |
      GET    /api/v1/analytics/worker-metrics            |  |
      GET    /api/v1/analytics/postgres-stats            |  |
      POST   /api/v1/stats/refresh                       |  | {}
      GET    /api/v1/system/maintenance                  |  |
      POST   /api/v1/system/maintenance                  |  | {"enabled":true}
      GET    /api/v1/system/maintenance/pop              |  |
      POST   /api/v1/system/maintenance/pop              |  | {"enabled":true}
      GET    /api/v1/system/shared-state                 |  |
      POST   /internal/api/notify                        |  | {"queue":"{queue}","partition":"{partition}"}
      GET    /internal/api/shared-state/stats            |  |
      GET    /internal/api/inter-instance/stats          |  |
      POST   /internal/api/spool                         |  | {}
      GET    /api/v1/resources/queues                    | ?stats=cached |
      GET    /api/v1/resources/queues/{queue}            |  |
      GET    /api/v1/resources/queues/{queue}/depth      | ?group={group} |
      GET    /api/v1/resources/namespaces                |  |
      GET    /api/v1/resources/tasks                     |  |
      GET    /api/v1/resources/overview                  |  |
      GET    /api/v1/consumer-groups                     |  |
      GET    /api/v1/consumer-groups/lagging             | ?minLagSeconds=0 |
      GET    /api/v1/consumer-groups/{group}             |  |
      GET    /api/v1/messages                            | ?queue={queue}&partition={partition} |
      GET    /api/v1/messages                            | ?partitionId={partitionId} |
      GET    /api/v1/messages                            | ?ns={namespace}&task={task} |
      GET    /api/v1/messages/{partitionId}/{transactionId} |  |
      GET    /api/v1/dlq                                 | ?queue={queue}&consumerGroup={group} |
      GET    /api/v1/traces/names                        |  |
      GET    /api/v1/traces/by-name/{traceName}          |  |
      GET    /api/v1/traces/{partitionId}/{transactionId} |  |
      GET    /api/v1/pop                                 | ?namespace={namespace}&task={task} |
      GET    /api/v1/pop/queue/{queue}                   | ?consumerGroup={group}&subscriptionMode=all |
      GET    /api/v1/pop/queue/{queue}                   | ?autoAck=true&batch=100 |
      GET    /api/v1/pop/queue/{queue}/partition/{partition} | ?consumerGroup={group}&subscriptionMode=all |
      POST   /api/v1/ack                                 |  | {ack}
      POST   /api/v1/ack/batch                           |  | {"consumerGroup":"{group}","acknowledgments":[{ack}]}
      POST   /api/v1/lease/{leaseId}/extend              |  | {"seconds":1}
      POST   /api/v1/traces                              |  | {"partitionId":"{partitionId}","transactionId":"{transactionId}","traceNames":"{traceName}","data":{}}
      POST   /api/v1/push                                |  | {"items":[{"queue":"{queue}","partition":"{partition}","transactionId":"{transactionId}","payload":"own"}]}
      POST   /api/v1/transaction                         |  | {"operations":[{ackOperation}]}
      POST   /api/v1/transaction                         |  | {"requiredLeases":["{leaseId}"],"operations":[{"type":"push","items":[{"queue":"{queue}","partition":"{partition}","payload":"own"}]},{ackOperation}]}
      POST   /api/v1/configure                           |  | {"queue":"{queue}","options":{"leaseTime":1,"retentionSeconds":1,"retentionEnabled":true}}
      POST   /api/v1/consumer-groups/{group}/subscription |  | {"subscriptionTimestamp":"2020-01-01T00:00:00Z"}
      POST   /api/v1/consumer-groups/{group}/queues/{queue}/seek |  | {"toEnd":true}
      POST   /api/v1/consumer-groups/{group}/queues/{queue}/partitions/{partition}/seek |  | {"toEnd":true}
      POST   /api/v1/messages/{partitionId}/{transactionId}/retry |  | {}
      POST   /api/v1/dlq/{id}/replay                     |  | {}
      POST   /api/v1/dlq/{id}/replay                     |  | {"queue":"stolen","partition":"p"}
      DELETE /api/v1/messages/{partitionId}/{transactionId} |  |
      DELETE /api/v1/dlq                                 | ?queue={queue} |
      DELETE /api/v1/consumer-groups/{group}/queues/{queue} | ?deleteMetadata=true |
      DELETE /api/v1/consumer-groups/{group}             | ?deleteMetadata=true |
      DELETE /api/v1/resources/queues/{queue}            |  |
      """;

  private static final String ACK =
      "\"transactionId\":\"{transactionId}\",\"partitionId\":\"{partitionId}\","
          + "\"leaseId\":\"{leaseId}\",\"consumerGroup\":\"{group}\",\"status\":\"completed\"}";

  /** Names and ids, by the words that the document has for them. */
  record Things(
      String queue,
      String partition,
      String group,
      String traceName,
      String transactionId,
      String partitionId,
      String leaseId,
      String id) {
    private String fill(String text) {
      return text.replace("{ackOperation}", "{\"type\":\"ack\"," + ACK)
          .replace("{ack}", "{" + ACK)
          .replace("{queue}", queue)
          .replace("{namespace}", queue + "-ns")
          .replace("{task}", queue + "-task")
          .replace("{partition}", partition)
          .replace("{group}", group)
          .replace("{traceName}", traceName)
          .replace("{transactionId}", transactionId)
          .replace("{partitionId}", partitionId)
          .replace("{leaseId}", leaseId)
          .replace("{id}", id);
    }
  }

  /** A line of the table. */
  record Line(String method, String template, String query, String body) {
    String route() {
      return method + " " + template;
    }

    String target(Things whose) {
      return whose.fill(template + query);
    }

    /** Null when the call has none. */
    String body(Things whose) {
      return body.isEmpty() ? null : whose.fill(body);
    }

    @Override
    public String toString() {
      return route() + query;
    }
  }

  private IsolationCases() {}

  static List<Line> lines() {
    var lines = new ArrayList<Line>();
    for (var line : TABLE.lines().toList()) {
      var columns = COLUMNS.split(line, 3);
      var route = SPACES.split(columns[0].strip(), 2);
      lines.add(new Line(route[0], route[1], columns[1].strip(), columns[2].strip()));
    }
    return lines;
  }

  /** What the table has lines for. */
  static SortedSet<String> routes() {
    var routes = new TreeSet<String>();
    lines().forEach(line -> routes.add(line.route()));
    return routes;
  }

  /** What the broker says that it serves. */
  static SortedSet<String> documented() throws IOException {
    var routes = new TreeSet<String>();
    try (var in = IsolationCases.class.getResourceAsStream(DOCUMENT)) {
      for (var path : Json.mapper().readTree(in).get("paths").properties()) {
        for (var method : path.getValue().properties()) {
          routes.add(method.getKey().toUpperCase(Locale.ROOT) + " " + path.getKey());
        }
      }
    }
    return routes;
  }
}
