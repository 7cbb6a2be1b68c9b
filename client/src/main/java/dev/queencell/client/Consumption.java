package dev.queencell.client;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running consume loop: each of its virtual threads pops with a long poll, hands the batch to the
 * handler, and acks it whole: completed when the handler returns, failed with the exception's text
 * when it throws. While the handler works, the batch's lease is renewed every third of its length,
 * so that slow work keeps its messages and a dead process loses them.
 *
 * <p>Failed requests are reported to the listener and tried again after a wait that doubles from
 * {@link #FIRST_BACKOFF_MS} to {@link #BACKOFF_MAX_MS}. {@link #close()} lets running handlers
 * finish and ack, cuts parked polls, and returns when all threads have ended.
 */
public final class Consumption implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Consumption.class);
  private static final long FIRST_BACKOFF_MS = 100;
  private static final long BACKOFF_MAX_MS = 5_000;

  /**
   * How to consume.
   *
   * @param request what to pop; without a wait of its own it polls at once after an empty answer
   * @param threads batches worked on at the same time
   * @param leaseSeconds what a renewal asks for; the pop asks for it too
   * @param onFailure told of every failed request and handler
   */
  public record Settings(
      PopRequest request, int threads, int leaseSeconds, Consumer<RuntimeException> onFailure) {
    public Settings {
      if (threads < 1 || leaseSeconds < 1) {
        throw new IllegalArgumentException(
            "threads and leaseSeconds take ≥ 1, got %d, %d".formatted(threads, leaseSeconds));
      }
    }

    /** One thread, failures logged. */
    public static Settings of(PopRequest request, int leaseSeconds) {
      return new Settings(
          request, 1, leaseSeconds, e -> LOG.warn("consuming failed: {}", e.getMessage()));
    }

    public Settings withThreads(int count) {
      return new Settings(request, count, leaseSeconds, onFailure);
    }
  }

  /** Works on one batch; an exception makes the broker deliver it again, up to its retry limit. */
  @FunctionalInterface
  public interface Handler {
    void handle(List<PoppedMessage> batch) throws Exception;
  }

  private final QueenClient client;
  private final Settings settings;
  private final PopRequest request;
  private final Handler handler;
  private final List<Worker> workers = new ArrayList<>();
  private volatile boolean closed;

  private Consumption(QueenClient client, Settings settings, Handler handler) {
    this.client = client;
    this.settings = settings;
    this.request = settings.request().leaseSeconds(settings.leaseSeconds());
    this.handler = handler;
  }

  static Consumption start(QueenClient client, Settings settings, Handler handler) {
    var consumption = new Consumption(client, settings, handler);
    for (int i = 0; i < settings.threads(); i++) {
      consumption.workers.add(consumption.new Worker());
    }
    consumption.workers.forEach(w -> w.thread.start());
    return consumption;
  }

  @Override
  public void close() {
    closed = true;
    workers.forEach(Worker::cutPoll);
    for (var worker : workers) {
      boolean interrupted = false;
      while (true) {
        try {
          worker.thread.join();
          break;
        } catch (InterruptedException e) {
          interrupted = true;
          worker.thread.interrupt();
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** One thread of the loop. Only a thread that is inside a poll or a backoff gets interrupted. */
  private final class Worker {
    private final Thread thread =
        Thread.ofVirtual().name("queen-consumer-", 0).unstarted(this::run);
    private boolean interruptible;

    private synchronized void cutPoll() {
      if (interruptible) {
        thread.interrupt();
      }
    }

    private synchronized boolean enterInterruptible() {
      interruptible = !closed;
      return interruptible;
    }

    private synchronized void leaveInterruptible() {
      interruptible = false;
      if (Thread.interrupted()) {
        LOG.debug("a parked poll was cut");
      }
    }

    private void run() {
      long backoffMs = FIRST_BACKOFF_MS;
      while (!closed) {
        try {
          var batch = poll();
          backoffMs = FIRST_BACKOFF_MS;
          if (!batch.isEmpty()) {
            work(batch);
          }
        } catch (QueenException e) {
          if (!closed) {
            settings.onFailure().accept(e);
            backOff(backoffMs);
            backoffMs = Math.min(BACKOFF_MAX_MS, backoffMs * 2);
          }
        }
      }
    }

    private PopResult poll() {
      if (!enterInterruptible()) {
        return PopResult.EMPTY;
      }
      try {
        return client.pop(request);
      } finally {
        leaveInterruptible();
      }
    }

    private void backOff(long waitMs) {
      if (!enterInterruptible()) {
        return;
      }
      try {
        Thread.sleep(waitMs);
      } catch (InterruptedException e) {
        LOG.debug("closed while backing off");
      } finally {
        leaveInterruptible();
      }
    }

    private void work(PopResult batch) {
      var status = AckStatus.COMPLETED;
      String error = null;
      try (var _ = new LeaseRenewal(client, batch.leaseId(), settings)) {
        handler.handle(batch.messages());
      } catch (Exception e) {
        status = AckStatus.FAILED;
        error = e.toString();
        settings.onFailure().accept(new IllegalStateException("handler failed: " + error, e));
      }
      if (!batch.leaseId().isEmpty()) {
        ack(batch, status, error);
      }
    }

    private void ack(PopResult batch, AckStatus status, String error) {
      var acks = new AckBatch(request.groupName());
      for (int i = 0; i < batch.size(); i++) {
        var message = batch.message(i);
        // A failure is charged once per partition, to the first message: its span comes again.
        if (status == AckStatus.COMPLETED
            || i == 0
            || !message.samePartition(batch.message(i - 1))) {
          acks.add(message, status, error);
        }
      }
      var result = client.ack(acks);
      if (!result.allSucceeded()) {
        settings
            .onFailure()
            .accept(new IllegalStateException("ack refused: " + result.refused().getFirst()));
      }
    }
  }

  /** Renews one batch's lease until closed. */
  private static final class LeaseRenewal implements AutoCloseable {
    private final CountDownLatch done = new CountDownLatch(1);
    private final QueenClient client;
    private final String leaseId;
    private final Settings settings;

    LeaseRenewal(QueenClient client, String leaseId, Settings settings) {
      this.client = client;
      this.leaseId = leaseId;
      this.settings = settings;
      if (!leaseId.isEmpty()) {
        Thread.ofVirtual().name("queen-lease-renewal").start(this::run);
      }
    }

    private void run() {
      try {
        while (!done.await(settings.leaseSeconds() * 1000L / 3, TimeUnit.MILLISECONDS)) {
          try {
            if (!client.extendLease(leaseId, settings.leaseSeconds()).alive()) {
              return;
            }
          } catch (QueenException e) {
            settings.onFailure().accept(e);
          }
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public void close() {
      done.countDown();
    }
  }
}
