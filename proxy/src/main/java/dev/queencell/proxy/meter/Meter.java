package dev.queencell.proxy.meter;

import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts usage and hands it to the tenant state, exactly once.
 *
 * <p>What is added is in a mapped file before {@link #add} returns, so that the end of the process
 * takes nothing with it; add before answering, and no client knows of a message that is not
 * counted. Every interval the file is sealed as a batch and sent under an id that was drawn when
 * the file was made: however often a batch is sent, by this process or the next one, the tenant
 * state adds it once. While the tenant state is away one file goes on filling instead of many being
 * made, is given to the disk every interval, and batches are sent one after the other when it is
 * back.
 *
 * <p>Thread-safe. Adding takes a lock for a few stores.
 */
public final class Meter implements AutoCloseable {
  /** The tenant state takes no larger batch. */
  public static final int BATCH_ROWS_MAX = UsageFile.SLOTS;

  private static final Logger LOG = LoggerFactory.getLogger(Meter.class);
  private static final long SECONDS_PER_MINUTE = 60;

  private final UsageSpool spool;
  private final UsageSink sink;
  private final InstantSource clock;
  private final long intervalMs;
  private final long drainMs;
  private final ReentrantLock lock = new ReentrantLock();
  private final CountDownLatch closing = new CountDownLatch(1);
  private final AtomicLong lost = new AtomicLong();
  private final AtomicLong taken = new AtomicLong();
  private final AtomicLong rejected = new AtomicLong();
  private final Thread thread;
  private UsageFile current;
  private boolean closed;
  private boolean away;

  private Meter(
      UsageSpool spool, UsageSink sink, InstantSource clock, long intervalMs, long drainMs) {
    this.spool = spool;
    this.sink = sink;
    this.clock = clock;
    this.intervalMs = intervalMs;
    this.drainMs = drainMs;
    this.current = spool.next();
    this.thread = Thread.ofPlatform().daemon().name("meter").unstarted(this::run);
  }

  /**
   * Starts counting, and sends what earlier processes left in the folder.
   *
   * @param folder belongs to this process alone
   * @param intervalMs between two batches
   * @param batchRows of a batch at most; then the next one begins
   * @param drainMs how long {@link #close()} tries to get everything sent
   * @throws IllegalStateException when the folder can't be read
   */
  public static Meter start(
      Path folder,
      UsageSink sink,
      InstantSource clock,
      long intervalMs,
      int batchRows,
      long drainMs) {
    try {
      var meter = new Meter(new UsageSpool(folder, batchRows), sink, clock, intervalMs, drainMs);
      meter.thread.start();
      return meter;
    } catch (IOException e) {
      throw new IllegalStateException("the spool %s can't be read: %s".formatted(folder, e), e);
    }
  }

  /** Adds what a cluster did just now. */
  public void add(
      UUID clusterId,
      UsageClass usageClass,
      long requests,
      long messages,
      long bytesIn,
      long bytesOut) {
    long minute = clock.instant().getEpochSecond() / SECONDS_PER_MINUTE;
    lock.lock();
    try {
      if (!current.add(clusterId, minute, usageClass, requests, messages, bytesIn, bytesOut)) {
        if (spool.isFull()) {
          lost.addAndGet(messages);
          return;
        }
        rotate();
        current.add(clusterId, minute, usageClass, requests, messages, bytesIn, bytesOut);
      }
      if (closed) {
        // A straggler of a stop: what it did is for the next process to send.
        current.force();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Batches that wait for the tenant state. */
  public int waiting() {
    return spool.size();
  }

  /** Messages that were not counted because too much was waiting already. */
  public long lost() {
    return lost.get();
  }

  /** Batches that the tenant state took from this process. */
  public long taken() {
    return taken.get();
  }

  /** Batches that the tenant state will never take. */
  public long rejected() {
    return rejected.get();
  }

  /** Sends what there is, within the time for that; the rest stays on disk for the next process. */
  @Override
  public void close() {
    closing.countDown();
    try {
      thread.join(Math.max(1, drainMs));
      thread.interrupt();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    lock.lock();
    try {
      closed = true;
      if (current.isEmpty()) {
        spool.discard(current);
        current = UsageFile.inMemory(BATCH_ROWS_MAX);
      } else {
        current.force();
      }
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    try {
      // What was left from before goes out at once.
      boolean last;
      do {
        sendAll();
        last = closing.await(intervalMs, TimeUnit.MILLISECONDS);
        seal(last);
      } while (!last);
      sendAll();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * One file goes on filling while others wait, unless this is the end. The disk may take its time,
   * and nobody who adds waits for it.
   */
  private void seal(boolean last) {
    UsageFile filling;
    lock.lock();
    try {
      filling = current;
      if (filling.isEmpty()) {
        return;
      }
    } finally {
      lock.unlock();
    }
    if (spool.size() > 0 && !last) {
      filling.force();
      return;
    }
    var next = spool.next();
    var full = replaceBy(next);
    if (full == null) {
      spool.discard(next);
    } else {
      spool.seal(full);
    }
  }

  /** What was filled until now; null, and nothing replaced, when there is nothing to send of it. */
  private UsageFile replaceBy(UsageFile next) {
    lock.lock();
    try {
      if (closed || current.isEmpty()) {
        return null;
      }
      var full = current;
      current = next;
      return full;
    } finally {
      lock.unlock();
    }
  }

  private void rotate() {
    var full = current;
    current = spool.next();
    spool.seal(full);
  }

  private void sendAll() {
    for (var oldest = spool.oldest(); oldest.isPresent(); oldest = spool.oldest()) {
      var waiting = oldest.get();
      switch (send(waiting.batch())) {
        case TAKEN -> {
          spool.taken(waiting);
          taken.incrementAndGet();
          noteAway(false);
        }
        case REJECTED -> {
          rejected.incrementAndGet();
          LOG.error(
              "the tenant state rejected the usage batch {} of {} rows",
              waiting.batch().id(),
              waiting.batch().rows().size());
          spool.rejected(waiting);
        }
        case AWAY -> {
          noteAway(true);
          return;
        }
      }
    }
  }

  private UsageSink.Outcome send(UsageBatch batch) {
    try {
      return sink.send(batch);
    } catch (RuntimeException e) {
      LOG.error("sending usage failed", e);
      return UsageSink.Outcome.AWAY;
    }
  }

  private void noteAway(boolean now) {
    if (now != away) {
      away = now;
      LOG.info(now ? "usage waits on disk: the tenant state is away" : "usage is sent again");
    }
  }
}
