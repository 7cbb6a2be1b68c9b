package dev.queencell.proxy.edge;

import dev.queencell.proxy.body.PushScan;
import dev.queencell.proxy.directory.ClusterLimits;
import dev.queencell.proxy.directory.ClusterView;
import dev.queencell.proxy.limit.ClusterUse;
import dev.queencell.service.HttpProblem;
import dev.queencell.service.Json;
import java.math.BigDecimal;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The two management bodies with limits on what they say: {@code /configure} may not keep messages
 * beyond the plan's ceiling, and it and a dead-letter replay may create a queue. Both are rare and
 * small, so that a tree is fine. What is no JSON object passes: the broker says its own 400.
 */
final class ManagementBodies {
  private static final String PARTITION_DEFAULT = "Default";
  private static final List<String> RETENTION_OPTIONS =
      List.of("retentionSeconds", "completedRetentionSeconds");

  private final Quota quota;

  ManagementBodies(Quota quota) {
    this.quota = quota;
  }

  void configure(ClusterView cluster, ClusterUse use, Pass pass, byte[] bytes) {
    var body = read(bytes);
    if (body == null) {
      return;
    }
    long ceiling = cluster.limits().retentionSeconds();
    if (ceiling != ClusterLimits.UNLIMITED) {
      checkRetention(cluster, pass, body, "", ceiling);
      if (body.get("options") instanceof ObjectNode options) {
        checkRetention(cluster, pass, options, "options.", ceiling);
      }
    }
    var queue = body.path("queue");
    if (queue.isString()) {
      quota.admit(
          cluster, use, pass, List.of(new PushScan.Pair(queue.stringValue(), PARTITION_DEFAULT)));
    }
  }

  void replay(ClusterView cluster, ClusterUse use, Pass pass, byte[] bytes) {
    var body = bytes.length == 0 ? null : read(bytes);
    if (body == null) {
      return;
    }
    var queue = half(body.path("queue"));
    var partition = half(body.path("partition"));
    if (queue == null && partition == null) {
      return;
    }
    if (queue == null || partition == null) {
      quota.refuse(
          cluster,
          pass,
          "replay_dest",
          Refusals.invalidRequest(
              "a replay elsewhere names queue and partition; %s is missing"
                  .formatted(queue == null ? "queue" : "partition")));
      return;
    }
    quota.admit(cluster, use, pass, List.of(new PushScan.Pair(queue, partition)));
  }

  private void checkRetention(
      ClusterView cluster, Pass pass, ObjectNode options, String prefix, long ceiling) {
    for (var name : RETENTION_OPTIONS) {
      var wanted = number(options.path(name));
      if (wanted != null && wanted.compareTo(BigDecimal.valueOf(ceiling)) > 0) {
        quota.refuse(
            cluster,
            pass,
            "retention",
            Refusals.quotaExceeded(
                "%s%s is %s; the plan allows at most %d".formatted(prefix, name, wanted, ceiling)));
        return;
      }
    }
  }

  private static BigDecimal number(JsonNode value) {
    try {
      if (value.isNumber()) {
        return value.decimalValue();
      }
      return value.isString() ? new BigDecimal(value.stringValue().strip()) : null;
    } catch (NumberFormatException e) {
      return null;
    }
  }

  private static String half(JsonNode value) {
    return value.isString() && !value.stringValue().isBlank() ? value.stringValue().strip() : null;
  }

  private static ObjectNode read(byte[] bytes) {
    try {
      return Json.readObject(bytes);
    } catch (HttpProblem e) {
      return null;
    }
  }
}
