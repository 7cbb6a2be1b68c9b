package dev.queencell.loader.pipeline;

import dev.queencell.client.PushBatch;
import dev.queencell.client.QueenException;
import dev.queencell.loader.measure.Counter;
import dev.queencell.loader.measure.Series;
import dev.queencell.loader.pace.Pacer;
import dev.queencell.loader.pace.Pacers;
import dev.queencell.loader.pace.Schedule;
import dev.queencell.loader.payload.PayloadWriter;
import dev.queencell.loader.payload.Stamp;
import dev.queencell.loader.run.Load;
import dev.queencell.loader.run.RunOptions;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The events that enter the pipeline: one message per request, on a fixed schedule. Events of one
 * property are pushed one after the other, since two that overlap would have no order to check; one
 * that is due while its property's push is underway waits behind it, with its latency counted from
 * when it was due. The pacers never wait: what is due above the cap is shed. An event gets its
 * sequence when it is sent and one attempt; a failed one is noted as owed to nobody.
 */
final class Ingress implements Load, Pacer.Sink {
  private static final long LATE_END_MS = 30_000;

  private final Pipeline pipeline;
  private final Pacers pacers;
  private final Chain[] chains;
  private final int properties;
  private final int inFlightMax;
  private final AtomicInteger inFlight = new AtomicInteger();
  private final ThreadFactory threads = Thread.ofVirtual().name("ingress").factory();

  /** One property's events of one flow: those that wait, and the next sequence. */
  private final class Chain {
    private final int flow;
    private final int property;
    private final ArrayDeque<Long> due = new ArrayDeque<>(2);
    private boolean running;
    private long next;

    Chain(int flow, int property, long first) {
      this.flow = flow;
      this.property = property;
      next = first;
    }

    void add(long dueNanos) {
      synchronized (this) {
        due.add(dueNanos);
        if (running) {
          return;
        }
        running = true;
      }
      threads.newThread(this::drain).start();
    }

    private void drain() {
      var message = new Message();
      long freeSince = Long.MIN_VALUE;
      while (true) {
        long dueNanos;
        synchronized (this) {
          var head = due.poll();
          if (head == null) {
            running = false;
            return;
          }
          dueNanos = head;
        }
        try {
          long readyNanos = freeSince == Long.MIN_VALUE ? dueNanos : Math.max(dueNanos, freeSince);
          push(this, next++, dueNanos, readyNanos, message);
          freeSince = pipeline.bench().now();
        } finally {
          inFlight.decrementAndGet();
        }
      }
    }
  }

  /** What one push needs. */
  private final class Message {
    private final PushBatch batch = new PushBatch();
    private final Stamp stamp = new Stamp();
    private final PayloadWriter writer = new PayloadWriter(pipeline.bench().filler(), 1);
  }

  /**
   * Prepares the events.
   *
   * @param firstSequence of every property
   */
  Ingress(Pipeline pipeline, long firstSequence) {
    this.pipeline = pipeline;
    var options = pipeline.options();
    properties = options.get(CmOptions.PROPERTIES);
    inFlightMax = options.get(CmOptions.MAX_INFLIGHT);
    chains = new Chain[Topology.FLOWS * properties];
    for (int i = 0; i < chains.length; i++) {
      chains[i] = new Chain(i % Topology.FLOWS, i / Topology.FLOWS, firstSequence);
    }
    pacers =
        new Pacers(
            options.get(RunOptions.PACERS),
            new Schedule(
                options.get(CmOptions.RATE_EVENTS),
                options.get(CmOptions.RAMP_SEC),
                options.get(CmOptions.DURATION)),
            pipeline.bench().ticks(),
            this);
  }

  /** One event of every property, in both flows; returns how many were not taken. */
  int warmUp() throws InterruptedException {
    var calls = new ArrayList<Future<Boolean>>();
    int lost = 0;
    try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
      for (var chain : chains) {
        calls.add(
            executor.submit(
                () -> {
                  long now = pipeline.bench().now();
                  return push(chain, chain.next++, now, now, new Message());
                }));
      }
      for (var call : calls) {
        lost += call.get() ? 0 : 1;
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
    return lost;
  }

  @Override
  public boolean offer(long event, long dueNanos) {
    var bench = pipeline.bench();
    boolean steady = bench.window().contains(dueNanos);
    bench.counters().add(Counter.OFFERED, 1, steady);
    if (inFlight.incrementAndGet() > inFlightMax) {
      inFlight.decrementAndGet();
      bench.counters().add(Counter.SHED, 1, steady);
      return false;
    }
    chains[(int) (event % chains.length)].add(dueNanos);
    return true;
  }

  /**
   * Pushes an event; false when it was not taken.
   *
   * @param readyNanos when nothing but the loader itself kept it back any more
   */
  private boolean push(
      Chain chain, long sequence, long dueNanos, long readyNanos, Message message) {
    var bench = pipeline.bench();
    boolean steady = bench.window().contains(dueNanos);
    long sent = bench.now();
    bench.latencies().record(Series.LATENESS, Math.max(0, sent - readyNanos), steady);
    var stamp = message.stamp;
    stamp.run = bench.run();
    stamp.tenant = chain.flow;
    stamp.partition = chain.property;
    stamp.sequence = sequence;
    stamp.answered = sequence - 1;
    stamp.base = sequence;
    stamp.scheduledMicros = bench.micros(dueNanos);
    stamp.sentMicros = bench.micros(sent);
    int length = message.writer.write(stamp);
    var queue = Topology.ingress(chain.flow);
    message.batch.clear();
    message.batch.add(
        queue,
        Topology.lane(chain.property),
        pipeline.transactionId(chain.flow, chain.property, sequence),
        message.writer.buffer(),
        0,
        length);
    bench.counters().add(Counter.PUSH_REQUESTS, 1, steady);
    bench.counters().add(Counter.PAYLOAD_BYTES_PUSHED, length, steady);
    var produced = pipeline.produced().get(queue);
    try {
      boolean accepted = pipeline.client().push(message.batch).allAccepted();
      long answered = bench.now();
      bench.latencies().record(Series.PUSH, answered - dueNanos, steady);
      bench.latencies().record(Series.PUSH_FROM_SEND, answered - sent, steady);
      if (accepted) {
        produced.accepted(chain.property, sequence);
        bench.counters().add(Counter.ACCEPTED, 1, bench.window().contains(answered));
        return true;
      }
      bench.counters().error("push", "status_failed");
    } catch (QueenException e) {
      bench.counters().error("push", e.kind());
    }
    produced.failed(chain.property, sequence);
    bench.counters().add(Counter.PUSH_FAILED, 1, steady);
    return false;
  }

  @Override
  public void start() {
    pacers.start(pipeline.bench().window().runStartNanos());
  }

  @Override
  public void stop(boolean atOnce) throws InterruptedException {
    if (!atOnce) {
      // The schedule is at its end: only what is late is left.
      pacers.awaitEnd(LATE_END_MS);
    }
    pacers.stop();
  }

  @Override
  public int inFlight() {
    return inFlight.get();
  }

  @Override
  public boolean finished() {
    return false;
  }

  @Override
  public long late() {
    return pacers.late();
  }
}
