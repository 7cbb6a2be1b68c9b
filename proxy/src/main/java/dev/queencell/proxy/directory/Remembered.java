package dev.queencell.proxy.directory;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Answers of the tenant-state service, kept for a while. An answer, also "there is none", is good
 * for its time to live. After that it is asked for again, by one caller while the others wait for
 * that one. When the service is away the old answer stands in for a grace time, and the service is
 * left alone as {@link Absence} says.
 *
 * <p>{@link #forget} drops an answer at once, whether yes or no, and outruns a question that is
 * under way: what that one brings is used once and not kept. {@link #doubtAll} has everything asked
 * again while keeping it for the grace.
 *
 * <p>Thread-safe.
 */
final class Remembered<V> {
  /**
   * How long what is kept.
   *
   * @param ttlMs of a found value
   * @param absentTtlMs of "there is none"
   * @param graceMs beyond the time to live, while the service is away
   */
  record Times(long ttlMs, long absentTtlMs, long graceMs) {}

  /** Is shown what is remembered. */
  @FunctionalInterface
  interface Visitor<V> {
    void visit(String key, V value, long ageMs);
  }

  /** Hears when the service has said something, on the thread that asked: it must not wait. */
  @FunctionalInterface
  interface Listener {
    /**
     * A value was loaded, or found to be gone.
     *
     * @param isNews false when it is what was known before
     */
    void loaded(boolean isNews);
  }

  private static final class Entry<V> {
    final Optional<V> value;
    final long loadedAtNs;

    /** Came from an earlier process: the service has not said so to this one. */
    boolean restored;

    Entry(Optional<V> value, long loadedAtNs) {
      this.value = value;
      this.loadedAtNs = loadedAtNs;
    }
  }

  /** A question under way, which others may wait for. */
  private static final class Question<V> extends CompletableFuture<Optional<V>> {
    /** Its key was forgotten meanwhile: the answer may be older than the reason for that. */
    volatile boolean outrun;
  }

  private final Function<String, Optional<V>> source;
  private final Times times;
  private final Ticker clock;
  private final Absence absence;
  private final Listener listener;
  private final Cache<String, Entry<V>> entries;
  private final ConcurrentMap<String, Question<V>> running = new ConcurrentHashMap<>();

  /** Entries from before are doubted. */
  private volatile long trustedSinceNs;

  /**
   * @param source asks the service; throws {@link StateAwayException} when it can't
   * @param entriesMax bound of what is kept
   * @param absence of that service
   */
  Remembered(
      Function<String, Optional<V>> source,
      Times times,
      long entriesMax,
      Ticker clock,
      Absence absence,
      Listener listener) {
    this.source = source;
    this.times = times;
    this.clock = clock;
    this.absence = absence;
    this.listener = listener;
    this.trustedSinceNs = clock.read();
    this.entries =
        Caffeine.newBuilder()
            .maximumSize(entriesMax)
            .ticker(clock)
            .executor(Runnable::run)
            .expireAfterWrite(times.ttlMs() + times.graceMs(), TimeUnit.MILLISECONDS)
            .build();
  }

  /**
   * The value of a key, or nothing if the service says so.
   *
   * @throws StateAwayException when the service is away and nothing usable is remembered
   */
  Optional<V> get(String key) {
    var entry = entries.getIfPresent(key);
    if (entry != null && (isFresh(entry) || (!isPastGrace(entry) && absence.leaveAlone()))) {
      return entry.value;
    }
    return ask(key);
  }

  /**
   * What {@link #get} would answer without asking.
   *
   * @throws NotRememberedException when it would ask
   */
  Optional<V> remembered(String key) {
    var entry = entries.getIfPresent(key);
    if (entry != null && (isFresh(entry) || (!isPastGrace(entry) && absence.isLeftAlone()))) {
      return entry.value;
    }
    throw NotRememberedException.INSTANCE;
  }

  /** Drops what is remembered of a key; true if something was. */
  boolean forget(String key) {
    var question = running.get(key);
    if (question != null) {
      question.outrun = true;
    }
    return entries.asMap().remove(key) != null;
  }

  /** Has everything asked again before its next use. */
  void doubtAll() {
    trustedSinceNs = clock.read();
  }

  /**
   * Takes in what an earlier process knew: not to be trusted, but to stand in while the service is
   * away, for what is left of the grace.
   *
   * @param ageMs since the service said so
   */
  void restore(String key, V value, long ageMs) {
    if (ageMs >= 0 && ageMs < times.ttlMs() + times.graceMs()) {
      long loadedAtNs = clock.read() - TimeUnit.MILLISECONDS.toNanos(ageMs);
      var entry = new Entry<>(Optional.of(value), loadedAtNs);
      entry.restored = true;
      entries.put(key, entry);
    }
  }

  /** Shows everything that was found, with its age in milliseconds. */
  void forEach(Visitor<V> visitor) {
    entries
        .asMap()
        .forEach(
            (key, entry) ->
                entry.value.ifPresent(
                    value ->
                        visitor.visit(
                            key,
                            value,
                            TimeUnit.NANOSECONDS.toMillis(clock.read() - entry.loadedAtNs))));
  }

  long size() {
    return entries.estimatedSize();
  }

  private boolean isFresh(Entry<V> entry) {
    long ttlMs = entry.value.isPresent() ? times.ttlMs() : times.absentTtlMs();
    return !entry.restored
        && entry.loadedAtNs - trustedSinceNs >= 0
        && clock.read() - entry.loadedAtNs < TimeUnit.MILLISECONDS.toNanos(ttlMs);
  }

  private boolean isPastGrace(Entry<V> entry) {
    long keptMs = times.ttlMs() + times.graceMs();
    return clock.read() - entry.loadedAtNs >= TimeUnit.MILLISECONDS.toNanos(keptMs);
  }

  private Optional<V> ask(String key) {
    var mine = new Question<V>();
    var others = running.putIfAbsent(key, mine);
    if (others != null) {
      return await(others);
    }
    try {
      var value = load(key, mine);
      mine.complete(value);
      return value;
    } catch (RuntimeException e) {
      mine.completeExceptionally(e);
      throw e;
    } finally {
      running.remove(key, mine);
    }
  }

  private Optional<V> load(String key, Question<V> question) {
    var known = entries.getIfPresent(key);
    if (known != null && isFresh(known)) {
      return known.value;
    }
    long askedAtNs = clock.read();
    try {
      var value = source.apply(key);
      absence.ended();
      entries.put(key, new Entry<>(value, askedAtNs));
      if (question.outrun) {
        entries.invalidate(key);
      } else {
        tell(known, value);
      }
      return value;
    } catch (StateAwayException e) {
      absence.began();
      return standIn(key, e);
    }
  }

  private void tell(Entry<V> known, Optional<V> value) {
    var before = known == null ? Optional.empty() : known.value;
    if (before.isPresent() || value.isPresent()) {
      listener.loaded(!before.equals(value));
    }
  }

  /** The old answer, if it was not forgotten meanwhile and its grace has not ended. */
  private Optional<V> standIn(String key, StateAwayException away) {
    var old = entries.getIfPresent(key);
    if (old == null || isPastGrace(old)) {
      throw away;
    }
    return old.value;
  }

  private Optional<V> await(Question<V> others) {
    try {
      return others.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof StateAwayException away) {
        throw away;
      }
      throw e;
    }
  }
}
