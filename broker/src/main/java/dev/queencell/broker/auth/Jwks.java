package dev.queencell.broker.auth;

import dev.queencell.service.Json;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * Public keys that somebody publishes (RFC 7517), kept by their ids. Fetched at the first need and
 * again when they are old, by one caller while the others go on with the keys that are there; an id
 * that is unknown has them fetched once more, but never more often than every few seconds, so that
 * nobody can have this broker knock at the publisher's door at will. A fetch that fails keeps what
 * is there. Thread-safe.
 */
final class Jwks implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Jwks.class);

  private static final long REFETCH_INTERVAL_NANOS = 5_000_000_000L;
  private static final int DOCUMENT_BYTES_MAX = 1024 * 1024;
  private static final int KEYS_MAX = 1_000;

  private final URI url;
  private final Duration timeout;
  private final long refreshNanos;
  private final LongSupplier nanoTime;
  private final HttpClient client;
  private final ReentrantLock fetching = new ReentrantLock();
  private volatile Fetched fetched = new Fetched(List.of(), false, 0);
  private volatile boolean tried;
  private volatile long triedAtNanos;

  private record Key(String id, String algorithm, boolean rsa, PublicKey key) {
    boolean fits(String wanted) {
      return rsa == Algorithms.isRsa(wanted) && (algorithm == null || algorithm.equals(wanted));
    }
  }

  private record Fetched(List<Key> keys, boolean there, long atNanos) {}

  Jwks(String url, Duration timeout, Duration refresh, LongSupplier nanoTime) {
    this.url = URI.create(url);
    this.timeout = timeout;
    this.refreshNanos = refresh.toNanos();
    this.nanoTime = nanoTime;
    this.client = HttpClient.newBuilder().connectTimeout(timeout).build();
  }

  /**
   * The key for a token.
   *
   * @param keyId null or empty takes the first key that fits the algorithm
   * @return null when there is none
   */
  PublicKey find(String keyId, String algorithm) {
    if (!fetched.there()) {
      fetch(true);
    } else if (nanoTime.getAsLong() - fetched.atNanos() >= refreshNanos) {
      fetch(false);
    }
    var key = lookUp(keyId, algorithm);
    if (key == null) {
      fetch(true);
      key = lookUp(keyId, algorithm);
    }
    return key;
  }

  private PublicKey lookUp(String keyId, String algorithm) {
    for (var key : fetched.keys()) {
      boolean wanted = keyId == null || keyId.isEmpty() || keyId.equals(key.id());
      if (wanted && key.fits(algorithm)) {
        return key.key();
      }
    }
    return null;
  }

  /** Fetches unless that was just tried; who needs the answer waits for another's fetch too. */
  private void fetch(boolean waits) {
    if (waits) {
      fetching.lock();
    } else if (!fetching.tryLock()) {
      return;
    }
    try {
      long now = nanoTime.getAsLong();
      if (tried && now - triedAtNanos < REFETCH_INTERVAL_NANOS) {
        return;
      }
      triedAtNanos = now;
      tried = true;
      fetched = new Fetched(read(), true, now);
    } catch (IOException | JacksonException e) {
      LOG.warn("can't read the keys at {}: {}", url, e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      fetching.unlock();
    }
  }

  private List<Key> read() throws IOException, InterruptedException {
    var request = HttpRequest.newBuilder(url).timeout(timeout).GET().build();
    // The timeout of a request covers its head; the body may trickle, so all of it runs against it.
    var response = client.sendAsync(request, BodyHandlers.ofInputStream());
    try (var body =
        response.get(timeout.toMillis(), java.util.concurrent.TimeUnit.MILLISECONDS).body()) {
      if (response.join().statusCode() != 200) {
        throw new IOException("status " + response.join().statusCode());
      }
      return keys(bounded(body));
    } catch (java.util.concurrent.ExecutionException e) {
      throw new IOException(e.getCause());
    } catch (java.util.concurrent.TimeoutException e) {
      response.cancel(true);
      throw new IOException("no answer within " + timeout);
    }
  }

  private static byte[] bounded(InputStream body) throws IOException {
    var bytes = body.readNBytes(DOCUMENT_BYTES_MAX + 1);
    if (bytes.length > DOCUMENT_BYTES_MAX) {
      throw new IOException("more than " + DOCUMENT_BYTES_MAX + " bytes");
    }
    return bytes;
  }

  private static List<Key> keys(byte[] document) throws IOException {
    var array = Json.mapper().readTree(document).get("keys");
    if (array == null || !array.isArray()) {
      throw new IOException("the document has no array named keys");
    }
    var keys = new ArrayList<Key>();
    for (var node : array) {
      var key = key(node);
      if (key != null && keys.size() < KEYS_MAX) {
        keys.add(key);
      }
    }
    return List.copyOf(keys);
  }

  /** A key that can verify, or null: sets hold keys of other kinds and for other purposes too. */
  private static Key key(JsonNode node) {
    var use = text(node, "use");
    if (use != null && !use.equals("sig")) {
      return null;
    }
    try {
      return switch (text(node, "kty")) {
        case "RSA" ->
            new Key(
                text(node, "kid"),
                text(node, "alg"),
                true,
                PublicKeys.rsa(bytes(node, "n"), bytes(node, "e")));
        case "OKP" ->
            "Ed25519".equals(text(node, "crv"))
                ? new Key(
                    text(node, "kid"),
                    text(node, "alg"),
                    false,
                    PublicKeys.ed25519(bytes(node, "x")))
                : null;
        case null, default -> null;
      };
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      LOG.warn("a published key is left out: {}", e.getMessage());
      return null;
    }
  }

  private static byte[] bytes(JsonNode node, String name) {
    var text = text(node, name);
    if (text == null) {
      throw new IllegalArgumentException("it has no " + name);
    }
    return Base64.getUrlDecoder().decode(text);
  }

  private static String text(JsonNode node, String name) {
    var value = node.get(name);
    return value != null && value.isString() ? value.stringValue() : null;
  }

  @Override
  public void close() {
    client.shutdownNow();
  }
}
