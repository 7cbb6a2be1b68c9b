package dev.queencell.proxy.directory;

import com.github.benmanes.caffeine.cache.Ticker;
import java.time.Instant;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

/**
 * Clusters, keys and sessions by the names that requests carry. See {@link Remembered} for how long
 * what is known stays good.
 *
 * <p>Thread-safe. Every lookup may throw {@link StateAwayException}.
 */
public final class Directory implements Names {
  /**
   * How long what the service said is used.
   *
   * @param ttlMs without asking again
   * @param graceMs beyond that, while the service is away
   * @param retryMs between two tries while it is away
   */
  public record Times(long ttlMs, long graceMs, long retryMs) {}

  private static final Logger LOG = LoggerFactory.getLogger(Directory.class);

  /** Who was refused may have been made since. */
  private static final long ABSENT_TTL_MS = 10_000;

  private static final long CLUSTERS_MAX = 100_000;
  private static final long KEYS_MAX = 200_000;
  private static final long SESSIONS_MAX = 20_000;

  private final Remembered<ClusterView> bySlug;
  private final Remembered<ClusterView> byId;
  private final Remembered<KeyView> keys;
  private final SessionMemory sessions;
  private final Absence absence;
  private volatile Remembered.Listener listener = isNews -> {};
  private final Names memory = new Memory();

  public Directory(StateService service, Times kept, Ticker clock) {
    absence = new Absence(clock, kept.retryMs());
    var times =
        new Remembered.Times(kept.ttlMs(), Math.min(kept.ttlMs(), ABSENT_TTL_MS), kept.graceMs());
    bySlug =
        new Remembered<>(service::clusterBySlug, times, CLUSTERS_MAX, clock, absence, this::loaded);
    byId =
        new Remembered<>(service::clusterById, times, CLUSTERS_MAX, clock, absence, this::loaded);
    keys = new Remembered<>(service::keyByHash, times, KEYS_MAX, clock, absence, this::loaded);
    sessions =
        new SessionMemory(service, times, SESSIONS_MAX, clock, new Absence(clock, kept.retryMs()));
  }

  /**
   * The same without ever asking: whatever would have to ask throws {@link NotRememberedException}
   * instead. Sessions always do.
   */
  public Names memory() {
    return memory;
  }

  private final class Memory implements Names {
    @Override
    public Optional<ClusterView> clusterBySlug(String slug) {
      return bySlug.remembered(slug);
    }

    @Override
    public Optional<ClusterView> clusterById(String id) {
      return byId.remembered(id);
    }

    @Override
    public Optional<KeyView> keyByHash(String hash) {
      return keys.remembered(hash);
    }

    @Override
    public SessionView session(SessionQuestion question) {
      throw NotRememberedException.INSTANCE;
    }
  }

  @Override
  public Optional<ClusterView> clusterBySlug(String slug) {
    return bySlug.get(slug);
  }

  @Override
  public Optional<ClusterView> clusterById(String id) {
    return byId.get(id);
  }

  @Override
  public Optional<KeyView> keyByHash(String hash) {
    return keys.get(hash);
  }

  @Override
  public SessionView session(SessionQuestion question) {
    return sessions.get(question, Instant.now());
  }

  /** How many clusters are remembered. */
  public long clusters() {
    return bySlug.size() + byId.size();
  }

  /** How many keys are remembered. */
  public long keys() {
    return keys.size();
  }

  /** Drops what one change of the feed is about. */
  void forget(JsonNode change) {
    switch (change.path("kind").asString("all")) {
      case "cluster" -> {
        var slug = change.path("cluster_slug").asString("");
        if (bySlug.forget(slug)) {
          Thread.ofVirtual().name("ask-again").start(() -> askAgain(slug));
        }
        byId.forget(change.path("cluster_id").asString(""));
        sessions.forgetCluster(change.path("cluster_id").asString(""));
      }
      case "key" -> keys.forget(change.path("key_hash").asString(""));
      case "session" -> sessions.forgetSession(change.path("jti").asString(""));
      case "settings" -> {
        // Nothing of it is kept here.
      }
      default -> doubtAll();
    }
  }

  /** Has everything asked again: the feed lost its thread, or something touched all. */
  void doubtAll() {
    absence.ended();
    bySlug.doubtAll();
    byId.doubtAll();
    keys.doubtAll();
    sessions.doubtAll();
  }

  /** From now on the listener hears of every cluster and key that is loaded. */
  void listen(Remembered.Listener loads) {
    listener = loads;
  }

  private void loaded(boolean isNews) {
    listener.loaded(isNews);
  }

  /** A cluster in use: its next request need not wait, and a snapshot has it. */
  private void askAgain(String slug) {
    try {
      bySlug.get(slug);
    } catch (StateAwayException e) {
      LOG.debug("{} is asked for when it is needed: {}", slug, e.getMessage());
    }
  }

  void restoreCluster(ClusterView cluster, long ageMs) {
    bySlug.restore(cluster.slug(), cluster, ageMs);
    byId.restore(cluster.id(), cluster, ageMs);
  }

  void restoreKey(String hash, KeyView key, long ageMs) {
    keys.restore(hash, key, ageMs);
  }

  void forEachCluster(Remembered.Visitor<ClusterView> visitor) {
    bySlug.forEach(visitor);
    byId.forEach(visitor);
  }

  void forEachKey(Remembered.Visitor<KeyView> visitor) {
    keys.forEach(visitor);
  }
}
