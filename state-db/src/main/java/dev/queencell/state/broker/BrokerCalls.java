package dev.queencell.state.broker;

import dev.queencell.service.HttpProblem;
import dev.queencell.service.Json;
import dev.queencell.state.control.Ledger;
import dev.queencell.state.control.Refusal;
import dev.queencell.state.store.Row;
import dev.queencell.state.store.Statements;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks a cluster's broker about its queues, under the cell's secret and in the cluster's namespace.
 * The broker's answer is the answer, whatever it is; a broker that gives none is {@code
 * unavailable}. No limit of the plan holds here: operators go past the edge. Thread-safe.
 */
public final class BrokerCalls {
  /** What the broker said. */
  public record Answer(int status, byte[] body) {}

  private record Place(
      UUID clusterId,
      String slug,
      UUID tenantId,
      UUID brokerTenantUuid,
      String baseUrl,
      String secret,
      boolean deleting) {
    @Override
    public String toString() {
      return "Place[" + slug + "]";
    }
  }

  private static final Logger LOG = LoggerFactory.getLogger(BrokerCalls.class);
  private static final String QUEUES = "/api/v1/resources/queues";
  private static final String CONFIGURE = "/api/v1/configure";
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);
  private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(20);
  private static final int ANSWER_BYTES_MAX = 16 * 1024 * 1024;
  private static final int SERVER_ERROR = 500;
  private static final String PLACE = Statements.of("broker").named("place");

  private final Ledger ledger;

  public BrokerCalls(Ledger ledger) {
    this.ledger = ledger;
  }

  /** The cluster's queues, as the broker lists them. */
  public Answer queues(UUID clusterId) {
    var place = place(clusterId);
    return send(place, request(place, QUEUES).GET());
  }

  /**
   * Configures a queue. What the broker took is audited; doing it again is audited again, because
   * only the broker knows whether it changed anything.
   *
   * @param queue its name, for the audit
   * @param body for the broker
   */
  public Answer configure(UUID clusterId, String queue, byte[] body) {
    var place = place(clusterId);
    if (place.deleting()) {
      throw Refusal.deleting("cluster %s is being deleted".formatted(place.slug()));
    }
    var answer =
        send(
            place,
            request(place, CONFIGURE)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofByteArray(body)));
    if (answer.status() / 100 == 2) {
      var _ =
          ledger.write(
              mutation -> {
                mutation.audit(
                    place.tenantId(), clusterId, "queue_configured", queue, Json.object());
                return true;
              });
    }
    return answer;
  }

  private Place place(UUID clusterId) {
    return ledger.read(
        tx ->
            tx.one(PLACE, BrokerCalls::read, clusterId)
                .orElseThrow(() -> Refusal.clusterUnknown(clusterId.toString())));
  }

  private static HttpRequest.Builder request(Place place, String path) {
    var request =
        HttpRequest.newBuilder(URI.create(place.baseUrl() + path))
            .timeout(ANSWER_TIMEOUT)
            .header("x-queen-tenant", place.brokerTenantUuid().toString());
    return place.secret() == null
        ? request
        : request.header("Authorization", "Bearer " + place.secret());
  }

  private static Answer send(Place place, HttpRequest.Builder request) {
    try (var http =
        HttpClient.newBuilder()
            .connectTimeout(CONNECT_TIMEOUT)
            .version(HttpClient.Version.HTTP_1_1)
            // A standby points to the owner.
            .followRedirects(HttpClient.Redirect.NORMAL)
            .build()) {
      var response = http.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
      try (var in = response.body()) {
        var body = in.readNBytes(ANSWER_BYTES_MAX + 1);
        if (body.length > ANSWER_BYTES_MAX) {
          throw new IOException("its answer is larger than %d bytes".formatted(ANSWER_BYTES_MAX));
        }
        if (response.statusCode() >= SERVER_ERROR) {
          throw new IOException("it answered " + response.statusCode());
        }
        return new Answer(response.statusCode(), body);
      }
    } catch (IOException e) {
      LOG.warn("the broker of cluster {}: {}", place.slug(), e.toString());
      throw unavailable(place);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw unavailable(place);
    }
  }

  private static HttpProblem unavailable(Place place) {
    return new HttpProblem(
        503, "the broker of cluster %s can't be asked".formatted(place.slug()), "unavailable");
  }

  private static Place read(Row row) throws SQLException {
    return new Place(
        row.uuid("id"),
        row.text("slug"),
        row.uuid("tenant_id"),
        row.uuid("broker_tenant_uuid"),
        row.text("base_url"),
        row.text("cell_secret"),
        row.flag("deleting"));
  }
}
