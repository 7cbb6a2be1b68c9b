package dev.queencell.broker.spool;

import dev.queencell.broker.crypto.PayloadCipher;
import dev.queencell.broker.engine.EngineUnavailableException;
import dev.queencell.broker.engine.PushItem;
import dev.queencell.broker.engine.PushOutcome;
import dev.queencell.broker.engine.PushOutcome.Status;
import dev.queencell.service.Json;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * Stores spooled messages at the broker that owns the database, over its internal route {@value
 * #PATH}: records as they stand in a spool file, with tenant, ids and producer, payloads opened.
 * That route is for administrators; where tokens are asked for, this client needs one. Thread-safe.
 */
public final class OwnerClient implements AutoCloseable {
  public static final String PATH = "/internal/api/spool";

  private static final Logger LOG = LoggerFactory.getLogger(OwnerClient.class);
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  private final String token;
  private final HttpClient client =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(5))
          .build();

  /**
   * A client.
   *
   * @param token sent as bearer token; null sends none
   */
  public OwnerClient(String token) {
    this.token = token;
  }

  /**
   * The messages of a request body.
   *
   * @throws IllegalArgumentException when it is none of this client's
   */
  public static List<PushItem> read(byte[] body, UUID tenant) {
    var items = new ArrayList<PushItem>();
    var bytes = ByteBuffer.wrap(body);
    while (bytes.hasRemaining()) {
      if (bytes.remaining() < SpoolRecord.HEADER_BYTES) {
        throw new IllegalArgumentException("a record is cut off");
      }
      int length = bytes.getInt();
      int checksum = bytes.getInt();
      if (length < 0 || length > bytes.remaining()) {
        throw new IllegalArgumentException("a record is cut off");
      }
      var record = new byte[length];
      bytes.get(record);
      var decoded =
          SpoolRecord.checksum(record, 0, length) == checksum
              ? SpoolRecord.decode(record, PayloadCipher.NONE)
              : null;
      if (decoded == null || !decoded.tenant().equals(tenant)) {
        throw new IllegalArgumentException("a record can't be read");
      }
      items.add(decoded.item());
    }
    return items;
  }

  List<PushOutcome> push(String ownerUrl, UUID tenant, List<PushItem> items) {
    var records = new ArrayList<byte[]>();
    items.forEach(i -> records.add(new SpoolRecord(tenant, i).encode(PayloadCipher.NONE)));
    var request =
        HttpRequest.newBuilder(URI.create(ownerUrl + PATH))
            .timeout(TIMEOUT)
            .header("x-queen-tenant", tenant.toString())
            .POST(BodyPublishers.ofByteArrays(records));
    if (token != null) {
      request.header("Authorization", "Bearer " + token);
    }
    try {
      var response = client.send(request.build(), BodyHandlers.ofByteArray());
      if (response.statusCode() == 401 || response.statusCode() == 403) {
        LOG.warn("the owner takes no spooled messages without a token of an administrator");
      }
      if (response.statusCode() != 201) {
        throw new EngineUnavailableException("the owner answers " + response.statusCode(), null);
      }
      return outcomes(items, Json.mapper().readTree(response.body()));
    } catch (IOException | JacksonException e) {
      throw new EngineUnavailableException("the owner can't be reached: " + e, null);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new EngineUnavailableException("interrupted", null);
    }
  }

  private static List<PushOutcome> outcomes(List<PushItem> items, JsonNode answer) {
    var outcomes = new ArrayList<PushOutcome>();
    for (int i = 0; i < items.size(); i++) {
      var id = items.get(i).transactionId();
      var row = answer.get(i);
      var status = row == null ? "" : row.path("status").asString("");
      outcomes.add(
          switch (status) {
            case "queued", "duplicate" -> new PushOutcome(Status.QUEUED, items.get(i).id(), id);
            default ->
                PushOutcome.failed(id, row == null ? null : row.path("error").asString(null));
          });
    }
    return outcomes;
  }

  @Override
  public void close() {
    client.shutdownNow();
  }
}
