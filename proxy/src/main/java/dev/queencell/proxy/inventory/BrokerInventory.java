package dev.queencell.proxy.inventory;

import dev.queencell.proxy.directory.ClusterView;
import dev.queencell.proxy.limit.Inventory;
import dev.queencell.proxy.limit.StorageUse;
import dev.queencell.proxy.upstream.BrokerException;
import dev.queencell.proxy.upstream.Brokers;
import dev.queencell.service.Json;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** Asks the cluster's broker, in the cluster's name. Thread-safe. */
public final class BrokerInventory implements Inventory {
  private static final Logger LOG = LoggerFactory.getLogger(BrokerInventory.class);

  /** The snapshot that the broker keeps: no count is worth a scan. */
  private static final String QUEUES = "/api/v1/resources/queues?stats=cached";

  private static final String ONE = "/api/v1/resources/queues/";
  private static final int ANSWER_BYTES_MAX = 64 * 1024 * 1024;
  private static final long TIMEOUT_MS = 5_000;
  private static final int OK = 200;
  private static final int NOT_FOUND = 404;

  private final Brokers brokers;
  private final boolean tenantHeader;

  /**
   * @param tenantHeader whether brokers are told the tenant
   */
  public BrokerInventory(Brokers brokers, boolean tenantHeader) {
    this.brokers = brokers;
    this.tenantHeader = tenantHeader;
  }

  @Override
  public Optional<Queues> queues(ClusterView cluster) {
    return get(cluster, QUEUES).flatMap(BrokerInventory::queues);
  }

  @Override
  public Optional<Set<String>> partitions(ClusterView cluster, String queue) {
    var name = URLEncoder.encode(queue, StandardCharsets.UTF_8).replace("+", "%20");
    return get(cluster, ONE + name).flatMap(BrokerInventory::partitions);
  }

  private static Optional<Queues> queues(JsonNode document) {
    var list = document.path("queues");
    if (!list.isArray()) {
      return Optional.empty();
    }
    var partitions = new HashMap<String, Long>();
    long retained = 0;
    boolean known = true;
    for (var queue : list) {
      partitions.put(queue.path("name").asString(""), queue.path("partitions").asLong(0));
      var bytes = queue.path("retainedBytes");
      known &= bytes.isNumber();
      retained += bytes.asLong(0);
    }
    return Optional.of(new Queues(partitions, known ? retained : StorageUse.UNKNOWN));
  }

  private static Optional<Set<String>> partitions(JsonNode document) {
    if (document.isMissingNode()) {
      return Optional.of(Set.of());
    }
    var list = document.path("partitions");
    if (!list.isArray()) {
      return Optional.empty();
    }
    var names = new HashSet<String>();
    list.forEach(partition -> names.add(partition.path("name").asString("")));
    return Optional.of(names);
  }

  /** The document; a missing node where there is none. */
  private Optional<JsonNode> get(ClusterView cluster, String pathAndQuery) {
    var request = brokers.request("GET", pathAndQuery, TIMEOUT_MS);
    if (tenantHeader) {
      request.addHeader("x-queen-tenant", cluster.brokerTenantUuid());
    }
    if (cluster.cellAuthorization() != null) {
      request.addHeader("Authorization", cluster.cellAuthorization());
    }
    var broker = new HttpHost("http", cluster.brokerHost(), cluster.brokerPort());
    try (var answer = brokers.send(broker, request)) {
      var entity = answer.getEntity();
      var bytes = entity == null ? new byte[0] : EntityUtils.toByteArray(entity, ANSWER_BYTES_MAX);
      return switch (answer.getCode()) {
        case OK -> Optional.of(Json.mapper().readTree(bytes));
        case NOT_FOUND -> Optional.of(Json.object().path("none"));
        default -> Optional.empty();
      };
    } catch (BrokerException | IOException | JacksonException e) {
      LOG.debug("no inventory of {}: {}", cluster.slug(), e.toString());
      return Optional.empty();
    }
  }
}
