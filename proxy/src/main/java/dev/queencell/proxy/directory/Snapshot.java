package dev.queencell.proxy.directory;

import dev.queencell.service.Json;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * What the directory knows, on disk, so that a proxy which is restarted while the tenant state is
 * away knows its tenants, and those that are stopped stay stopped. It holds hashes of keys and
 * never keys. Since it also holds the cells' credentials, it is sealed (AES-GCM) under the edge
 * token, which also makes a file that somebody changed worthless.
 *
 * <p>It is written as soon as the feed changed something or a cluster or key was learnt: whoever
 * was let in may expect to be let in by the next process. That it is still as it was is kept less
 * often, and nothing is written where nothing happens. Requests never wait for it.
 *
 * <p>Nothing of it is trusted: while the tenant state answers, everything is asked again.
 *
 * <p>Thread-safe.
 */
public final class Snapshot implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Snapshot.class);
  private static final String FILE = "directory.snapshot";

  /** How long it may wait that what was known was said again: its grace begins anew. */
  private static final long CONFIRMED_MS = 10_000;

  /** Between two writes, however much changes. */
  private static final long PAUSE_MS = 200;

  /** And so many times as long as a write took: it is never most of what a large proxy does. */
  private static final long PAUSE_WRITES = 9;

  private static final long NOTHING_DUE = Long.MAX_VALUE;

  private static final int ENTRIES_MAX = 50_000;
  private static final int NONCE_BYTES = 12;
  private static final int TAG_BITS = 128;
  private static final long BYTES_MAX = 256L * 1024 * 1024;

  private final Path file;
  private final SecretKeySpec seal;
  private final Directory directory;
  private final SecureRandom random = new SecureRandom();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition wanted = lock.newCondition();
  private final Thread thread;
  private final long startNs = System.nanoTime();

  /** When to write, by this object's own clock; guarded by the lock. */
  private long dueNs = NOTHING_DUE;

  private boolean closing;

  private Snapshot(Path folder, String edgeToken, Directory directory) {
    this.file = folder.resolve(FILE);
    this.seal = key(edgeToken);
    this.directory = directory;
    this.thread = Thread.ofVirtual().name("snapshot").unstarted(this::run);
  }

  /** Has the directory know what an earlier process knew, and writes from now on. */
  public static Snapshot start(Path folder, String edgeToken, Directory directory) {
    var snapshot = new Snapshot(folder, edgeToken, directory);
    snapshot.restore();
    directory.listen(snapshot::loaded);
    snapshot.thread.start();
    return snapshot;
  }

  /** True when there is something to start from without the tenant state. */
  public boolean isUsable() {
    return directory.clusters() > 0;
  }

  /** Something changed: what is on disk is no longer true. */
  public void touch() {
    writeIn(0);
  }

  private void loaded(boolean isNews) {
    writeIn(isNews ? 0 : CONFIRMED_MS);
  }

  private void writeIn(long ms) {
    lock.lock();
    try {
      long wantedNs = sinceStartNs() + TimeUnit.MILLISECONDS.toNanos(ms);
      if (wantedNs < dueNs) {
        dueNs = wantedNs;
        wanted.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  private long sinceStartNs() {
    return System.nanoTime() - startNs;
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closing = true;
      wanted.signalAll();
    } finally {
      lock.unlock();
    }
    try {
      thread.join(TimeUnit.SECONDS.toMillis(2));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    try {
      boolean last = false;
      while (!last) {
        last = await();
        long beganNs = System.nanoTime();
        write();
        if (!last) {
          long tookMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNs);
          pause(Math.max(PAUSE_MS, PAUSE_WRITES * tookMs));
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Until something is due; true when it is the last time. */
  private boolean await() throws InterruptedException {
    lock.lock();
    try {
      while (!closing && dueNs > sinceStartNs()) {
        var _ = wanted.awaitNanos(dueNs - sinceStartNs());
      }
      dueNs = NOTHING_DUE;
      return closing;
    } finally {
      lock.unlock();
    }
  }

  private void pause(long ms) throws InterruptedException {
    lock.lock();
    try {
      long leftNs = TimeUnit.MILLISECONDS.toNanos(ms);
      while (!closing && leftNs > 0) {
        leftNs = wanted.awaitNanos(leftNs);
      }
    } finally {
      lock.unlock();
    }
  }

  private void write() {
    var document = Json.object().put("written_ms", System.currentTimeMillis());
    var clusters = document.putArray("clusters");
    directory.forEachCluster(
        (ignored, cluster, ageMs) -> {
          if (clusters.size() < ENTRIES_MAX) {
            clusters.addObject().put("age_ms", ageMs).set("view", cluster.json());
          }
        });
    var keys = document.putArray("keys");
    directory.forEachKey(
        (hash, key, ageMs) -> {
          if (keys.size() < ENTRIES_MAX) {
            keys.addObject().put("hash", hash).put("age_ms", ageMs).set("view", key.json());
          }
        });
    try {
      replace(sealed(Json.bytes(document)));
    } catch (IOException | GeneralSecurityException e) {
      LOG.warn("what is known of the tenants can't be kept on disk: {}", e.toString());
    }
  }

  private void replace(byte[] bytes) throws IOException {
    var next = Path.of(file + ".next");
    Files.write(next, bytes);
    try (var channel = FileChannel.open(next, StandardOpenOption.WRITE)) {
      channel.force(true);
    }
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  private void restore() {
    try {
      if (Files.size(file) > BYTES_MAX) {
        throw new IOException("it is too large");
      }
      var document = Json.mapper().readTree(opened(Files.readAllBytes(file)));
      long sinceMs = System.currentTimeMillis() - document.path("written_ms").asLong();
      for (JsonNode entry : document.path("clusters")) {
        directory.restoreCluster(
            ClusterView.of(entry.path("view")), sinceMs + entry.path("age_ms").asLong());
      }
      for (JsonNode entry : document.path("keys")) {
        directory.restoreKey(
            entry.path("hash").asString(""),
            KeyView.of(entry.path("view")),
            sinceMs + entry.path("age_ms").asLong());
      }
    } catch (NoSuchFileException e) {
      LOG.debug("nothing is known from before");
    } catch (IOException | GeneralSecurityException | JacksonException e) {
      LOG.warn("what was known of the tenants can't be read: {}", e.toString());
    }
  }

  private byte[] sealed(byte[] plain) throws GeneralSecurityException {
    var nonce = new byte[NONCE_BYTES];
    random.nextBytes(nonce);
    var cipher = Cipher.getInstance("AES/GCM/NoPadding");
    cipher.init(Cipher.ENCRYPT_MODE, seal, new GCMParameterSpec(TAG_BITS, nonce));
    var text = cipher.doFinal(plain);
    var all = Arrays.copyOf(nonce, NONCE_BYTES + text.length);
    System.arraycopy(text, 0, all, NONCE_BYTES, text.length);
    return all;
  }

  private byte[] opened(byte[] all) throws GeneralSecurityException {
    if (all.length < NONCE_BYTES) {
      throw new GeneralSecurityException("it is cut off");
    }
    var cipher = Cipher.getInstance("AES/GCM/NoPadding");
    cipher.init(Cipher.DECRYPT_MODE, seal, new GCMParameterSpec(TAG_BITS, all, 0, NONCE_BYTES));
    return cipher.doFinal(all, NONCE_BYTES, all.length - NONCE_BYTES);
  }

  private static SecretKeySpec key(String edgeToken) {
    try {
      var digest = MessageDigest.getInstance("SHA-256");
      digest.update("queencell directory snapshot\n".getBytes(StandardCharsets.US_ASCII));
      return new SecretKeySpec(digest.digest(edgeToken.getBytes(StandardCharsets.UTF_8)), "AES");
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java runtime has SHA-256", e);
    }
  }
}
