package dev.queencell.proxy.meter;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The batches that wait for the tenant state, oldest first: what earlier processes left in the
 * folder, then what this one sealed. A batch leaves the disk only when it was taken.
 *
 * <p>Thread-safe.
 */
final class UsageSpool {
  /** A batch and where it is on disk, if it is. */
  record Waiting(UsageBatch batch, Path path) {}

  /** A quarter of a GiB of files. */
  static final int WAITING_MAX = 1000;

  private static final Logger LOG = LoggerFactory.getLogger(UsageSpool.class);
  private static final String SUFFIX = ".usage";
  private static final String REJECTED = ".rejected";

  private final Path folder;
  private final int batchRows;
  private final Deque<Waiting> waiting = new ArrayDeque<>();
  private final AtomicLong sequence = new AtomicLong();

  /**
   * @param folder is there, and belongs to this process alone
   * @param batchRows of a batch at most
   * @throws IOException when it can't be read
   */
  UsageSpool(Path folder, int batchRows) throws IOException {
    this.folder = folder;
    this.batchRows = batchRows;
    try (var files = Files.list(folder)) {
      for (var path : files.filter(path -> path.toString().endsWith(SUFFIX)).sorted().toList()) {
        recover(path);
      }
    }
  }

  /** A new file to count in, or one in memory when the disk takes none. */
  UsageFile next() {
    var name =
        "meter-%013d-%06d%s"
            .formatted(System.currentTimeMillis(), sequence.getAndIncrement(), SUFFIX);
    try {
      return UsageFile.create(folder.resolve(name), batchRows);
    } catch (IOException e) {
      LOG.error("usage is counted in memory only, and lost with the process: {}", e.toString());
      return UsageFile.inMemory(batchRows);
    }
  }

  /** Ends a file; what it holds waits from now on. */
  void seal(UsageFile file) {
    var batch = file.batch();
    file.force();
    synchronized (this) {
      waiting.addLast(new Waiting(batch, file.path()));
    }
  }

  /** True when nothing more may wait. */
  synchronized boolean isFull() {
    return waiting.size() >= WAITING_MAX;
  }

  synchronized int size() {
    return waiting.size();
  }

  synchronized Optional<Waiting> oldest() {
    return Optional.ofNullable(waiting.peekFirst());
  }

  /** The oldest was taken. */
  synchronized void taken(Waiting oldest) {
    waiting.remove(oldest);
    delete(oldest.path());
  }

  /** The oldest will never be taken; its file stays for somebody to look at. */
  synchronized void rejected(Waiting oldest) {
    waiting.remove(oldest);
    if (oldest.path() == null) {
      return;
    }
    try {
      Files.move(oldest.path(), Path.of(oldest.path() + REJECTED));
    } catch (IOException e) {
      LOG.error("a rejected batch of usage stays in the way: {}", e.toString());
    }
  }

  /** An empty file is worth nothing. */
  void discard(UsageFile empty) {
    delete(empty.path());
  }

  private void recover(Path path) throws IOException {
    var batch = UsageFile.read(path);
    if (batch == null || batch.rows().isEmpty()) {
      delete(path);
    } else {
      waiting.addLast(new Waiting(batch, path));
    }
  }

  private static void delete(Path path) {
    if (path == null) {
      return;
    }
    try {
      Files.deleteIfExists(path);
    } catch (IOException e) {
      // Sent again after a start, where its id tells that it was taken.
      LOG.warn("a batch of usage that was taken can't be deleted: {}", e.toString());
    }
  }
}
