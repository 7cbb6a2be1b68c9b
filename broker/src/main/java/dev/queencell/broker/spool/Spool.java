package dev.queencell.broker.spool;

import dev.queencell.broker.crypto.PayloadCipher;
import dev.queencell.broker.engine.PushItem;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Messages on this broker's disk until the database can take them: files of checksummed records,
 * bounded together, appended to at the one end and replayed from the other.
 *
 * <p>One thread writes. While it waits for the disk everything that comes gathers, and one flush
 * makes all of it durable: an append returns after that flush, never before. A file whose write
 * failed is cut back and left; the next append begins another. At the start what a crash tore off
 * at the end of the last file is cut: nobody was told that it was kept.
 *
 * <p>The directory belongs to one broker at a time, by a lock on a file in it. Thread-safe.
 */
public final class Spool implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Spool.class);

  private static final int FLUSH_BYTES_MAX = 64 * 1024 * 1024;
  private static final int BATCH_BYTES_MAX = 8 * 1024 * 1024;
  private static final long CLOSE_MS = 3_000;

  private final SpoolConfig config;
  private final PayloadCipher cipher;
  private final FailedRecords failed;
  private final SpoolDirectory directory;
  private final Thread writer;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition queued = lock.newCondition();
  private final Condition changed = lock.newCondition();
  private final ArrayDeque<Append> queue = new ArrayDeque<>();
  private final ArrayDeque<SpoolFile> files = new ArrayDeque<>();
  private final PendingLanes lanes = new PendingLanes();
  private SpoolFile active;
  private long nextNumber;
  private boolean writing;
  private boolean closing;
  private long bytes;
  private final AtomicLong pending = new AtomicLong();
  private volatile boolean healthy = true;

  /** One request's records on their way to the disk. */
  private record Append(
      List<byte[]> records, int[] recordLanes, long bytes, CompletableFuture<Boolean> durable) {}

  /** What there is, as of now. */
  public record Status(
      long pendingRecords, long bytes, int failedFiles, long failedBytes, boolean healthy) {}

  private Spool(SpoolConfig config, PayloadCipher cipher, SpoolDirectory directory)
      throws IOException {
    this.config = config;
    this.cipher = cipher;
    this.directory = directory;
    this.failed = new FailedRecords(config.directory());
    recover();
    writer = Thread.ofPlatform().name("spool-writer").start(this::write);
  }

  /**
   * Opens the spool with what is left in it.
   *
   * @throws IllegalStateException when the directory can't be used, or another broker uses it
   */
  public static Spool open(SpoolConfig config, PayloadCipher cipher) {
    try {
      var directory = SpoolDirectory.claim(config.directory());
      try {
        return new Spool(config, cipher, directory);
      } catch (IOException | RuntimeException e) {
        directory.close();
        throw e;
      }
    } catch (IOException e) {
      throw new IllegalStateException(
          "FILE_BUFFER_DIR %s can't be used: %s".formatted(config.directory(), e), e);
    }
  }

  private void recover() throws IOException {
    var paths = directory.files();
    for (int i = 0; i < paths.size(); i++) {
      var path = paths.get(i);
      nextNumber = SpoolDirectory.number(path) + 1;
      var file = SpoolFile.open(path, body -> lanes.add(SpoolRecord.laneOf(body)));
      if (file.tornBytes() > 0) {
        cutTorn(file, i == paths.size() - 1);
      }
      pending.addAndGet(file.records());
      if (file.records() == 0) {
        file.delete();
      } else {
        files.add(file);
        bytes += file.durableBytes();
      }
    }
    if (pending.get() > 0) {
      LOG.info("{} spooled messages wait to be stored", pending.get());
    }
  }

  private void cutTorn(SpoolFile file, boolean last) throws IOException {
    if (last) {
      LOG.warn("cuts {} torn bytes off {}", file.tornBytes(), file.path);
    } else {
      LOG.error("{} is spoiled in its last {} bytes: kept aside", file.path, file.tornBytes());
      failed.keep(file.path.getFileName() + ".torn", file.torn());
    }
    file.cutTorn();
  }

  /**
   * Keeps items, durably when this returns true. Each has an id and a transaction id. False when
   * there is no room for them or the disk refuses; nothing of them is kept then.
   */
  boolean append(UUID tenant, List<PushItem> items) {
    var records = new ArrayList<byte[]>(items.size());
    var recordLanes = new int[items.size()];
    long size = 0;
    for (int i = 0; i < recordLanes.length; i++) {
      var item = items.get(i);
      var encoded = new SpoolRecord(tenant, item).encode(cipher);
      recordLanes[i] = PendingLanes.of(tenant, item.queue(), item.partition());
      records.add(encoded);
      size += encoded.length;
    }
    var append = new Append(records, recordLanes, size, new CompletableFuture<>());
    lock.lock();
    try {
      if (closing || bytes + failed.bytes() + size > config.bytesMax()) {
        return false;
      }
      bytes += size;
      // Counted before it is durable: what the same client sends next must line up behind it.
      count(recordLanes);
      queue.add(append);
      queued.signal();
    } finally {
      lock.unlock();
    }
    return append.durable().join();
  }

  private void write() {
    while (true) {
      var appends = new ArrayList<Append>();
      lock.lock();
      try {
        while (queue.isEmpty()) {
          if (closing) {
            return;
          }
          queued.awaitUninterruptibly();
        }
        long size = 0;
        while (!queue.isEmpty() && (size == 0 || size + queue.peek().bytes() <= FLUSH_BYTES_MAX)) {
          size += queue.peek().bytes();
          appends.add(queue.poll());
        }
        writing = true;
      } finally {
        lock.unlock();
      }
      settle(appends, written(appends));
    }
  }

  private boolean written(List<Append> appends) {
    var records = appends.stream().flatMap(append -> append.records().stream()).toList();
    try {
      if (active == null || active.records() >= config.recordsPerFile()) {
        begin();
      }
      active.append(records, records.size());
      healthy = true;
      return true;
    } catch (IOException | RuntimeException e) {
      LOG.error("can't write to the spool: {}", e.toString());
      healthy = false;
      return false;
    }
  }

  private void begin() throws IOException {
    var file = SpoolFile.create(directory.file(nextNumber++));
    lock.lock();
    try {
      active = file;
      files.add(file);
      bytes += file.durableBytes();
    } finally {
      lock.unlock();
    }
  }

  private void settle(List<Append> appends, boolean durable) {
    lock.lock();
    try {
      writing = false;
      if (!durable) {
        // Replayed as far as it goes; what a failed flush left on the disk, nobody knows.
        active = null;
        for (var append : appends) {
          bytes -= append.bytes();
          forget(append.recordLanes());
        }
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    appends.forEach(append -> append.durable().complete(durable));
  }

  private void forget(int[] recordLanes) {
    pending.addAndGet(-recordLanes.length);
    for (int lane : recordLanes) {
      lanes.remove(lane);
    }
  }

  /** Whether nothing waits, neither here nor on its way here. */
  boolean isEmpty() {
    return pending.get() == 0;
  }

  /**
   * Waits until none of these partitions has a record here.
   *
   * @return those that still have one, as true
   */
  boolean[] awaitReplayed(int[] wanted, long waitMs) {
    long left = TimeUnit.MILLISECONDS.toNanos(waitMs);
    lock.lock();
    try {
      while (left > 0 && !closing && IntStream.of(wanted).anyMatch(lanes::has)) {
        left = changed.awaitNanos(left);
      }
      var still = new boolean[wanted.length];
      for (int i = 0; i < wanted.length; i++) {
        still[i] = lanes.has(wanted[i]);
      }
      return still;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    } finally {
      lock.unlock();
    }
  }

  /** Waits until there is something to replay, or the close. */
  void awaitRecords() throws InterruptedException {
    lock.lock();
    try {
      while (!closing && pending.get() == 0) {
        changed.await();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Rests, but not beyond the close. */
  void rest(long restMs) throws InterruptedException {
    long left = TimeUnit.MILLISECONDS.toNanos(restMs);
    lock.lock();
    try {
      while (!closing && left > 0) {
        left = changed.awaitNanos(left);
      }
    } finally {
      lock.unlock();
    }
  }

  /** The oldest records, or null when there are none that are durable. */
  Batch next() throws IOException {
    var file = oldest();
    if (file == null) {
      return null;
    }
    var entries = new ArrayList<Batch.Entry>();
    long at = file.replayedBytes();
    long size = 0;
    while (entries.size() < config.batchMax() && size < BATCH_BYTES_MAX) {
      byte[] body;
      try {
        body = file.read(at);
      } catch (IOException e) {
        if (entries.isEmpty()) {
          setAside(file, e);
          return null;
        }
        break;
      }
      if (body == null) {
        break;
      }
      var name = "%s-%d.record".formatted(file.path.getFileName(), at);
      entries.add(new Batch.Entry(body, SpoolRecord.decode(body, cipher), name));
      at += SpoolRecord.HEADER_BYTES + body.length;
      size += body.length;
    }
    return new Batch(file, entries, at);
  }

  /** The oldest file with something to replay; what has been replayed is removed on the way. */
  private SpoolFile oldest() throws IOException {
    lock.lock();
    try {
      while (!files.isEmpty()) {
        var file = files.peek();
        if (file.replayedBytes() < file.durableBytes()) {
          return file;
        }
        if (file == active && (writing || !queue.isEmpty())) {
          return null;
        }
        active = file == active ? null : active;
        remove(file);
      }
      return null;
    } finally {
      lock.unlock();
    }
  }

  private void remove(SpoolFile file) throws IOException {
    files.remove(file);
    bytes -= file.durableBytes();
    file.delete();
  }

  /** A file that was good at the start and is not any more: what is left of it goes aside. */
  private void setAside(SpoolFile file, IOException cause) throws IOException {
    LOG.error("a spool file can't be read on: {}", cause.getMessage());
    failed.keep(file.path.getFileName() + ".spoiled", Files.readAllBytes(file.path));
    lock.lock();
    try {
      active = file == active ? null : active;
      remove(file);
      // Which partitions its records were of can't be read any more; they are counted anew.
      recount();
    } finally {
      lock.unlock();
    }
  }

  private void recount() throws IOException {
    lanes.clear();
    pending.set(0);
    for (var append : queue) {
      count(append.recordLanes());
    }
    for (var file : files) {
      for (long at = file.replayedBytes(); at < file.durableBytes(); ) {
        var body = file.read(at);
        count(new int[] {SpoolRecord.laneOf(body)});
        at += SpoolRecord.HEADER_BYTES + body.length;
      }
    }
    changed.signalAll();
  }

  private void count(int[] recordLanes) {
    pending.addAndGet(recordLanes.length);
    for (int lane : recordLanes) {
      lanes.add(lane);
    }
  }

  /** Keeps a record under {@code failed/}: it is not tried again. */
  void fail(Batch.Entry entry) throws IOException {
    failed.keep(entry.name, entry.body);
  }

  /** A batch is stored or set aside, all of it. */
  void replayed(Batch batch) throws IOException {
    batch.file.mark(batch.endBytes);
    var recordLanes =
        batch.entries.stream().mapToInt(entry -> SpoolRecord.laneOf(entry.body)).toArray();
    lock.lock();
    try {
      forget(recordLanes);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    // Removes the file when that was its end.
    oldest();
  }

  public Status status() {
    lock.lock();
    try {
      return new Status(pending.get(), bytes, failed.files(), failed.bytes(), healthy);
    } finally {
      lock.unlock();
    }
  }

  /** Refuses from now on; what is on its way is still made durable. */
  void stop() {
    lock.lock();
    try {
      closing = true;
      queued.signal();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Makes durable what is on its way. What is not replayed waits for the next start. */
  @Override
  public void close() {
    stop();
    try {
      writer.join(CLOSE_MS);
      for (var file : files) {
        file.close();
      }
      directory.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      LOG.warn("the spool closes badly: {}", e.toString());
    }
  }
}
