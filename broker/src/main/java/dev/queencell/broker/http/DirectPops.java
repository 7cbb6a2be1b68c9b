package dev.queencell.broker.http;

import dev.queencell.broker.engine.Engine;
import dev.queencell.broker.engine.PopResult;
import dev.queencell.broker.engine.PopTicket;
import dev.queencell.service.ClientWatch;
import dev.queencell.service.DirectExchange;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Pops from a named queue without a thread: a parked one costs its ticket and its connection. The
 * first of four things answers it: messages, its deadline, an operator who pauses pops, or the end
 * of its client; whatever is not on the wire then is given back to the engine. For the rules see
 * {@link PopRoutes}.
 *
 * <p>One thread looks after all that wait: it watches the connection of those that wait for long
 * and ends those that the engine left alone.
 */
final class DirectPops implements AutoCloseable {
  private static final String QUEUE = "/api/v1/pop/queue/";
  private static final String PARTITION = "/partition/";
  private static final long LOOK_INTERVAL_MS = 250;

  private final Engine engine;
  private final Gates gates;
  private final Tenancy tenancy;
  private final ApiConfig config;
  private final HttpCounters counters;
  private final Refusals refusals;
  private final Queue<Parked> fresh = new ConcurrentLinkedQueue<>();

  /** Seen by the looking thread alone. */
  private final List<Parked> waiting = new ArrayList<>();

  private final Thread looking;

  DirectPops(
      Engine engine,
      Gates gates,
      Tenancy tenancy,
      ApiConfig config,
      HttpCounters counters,
      Refusals refusals) {
    this.engine = engine;
    this.gates = gates;
    this.tenancy = tenancy;
    this.config = config;
    this.counters = counters;
    this.refusals = refusals;
    this.looking = Thread.ofPlatform().daemon().name("parked-pops").start(this::look);
  }

  /** Begins a pop; false for every other path, and for those that the routes do better. */
  boolean begin(DirectExchange exchange) {
    var path = exchange.path();
    // Escapes are decoded by the routes, which also read a body that nobody asked for.
    if (!path.startsWith(QUEUE)
        || path.indexOf('%') >= 0
        || exchange.bodyBytes() != 0
        || gates.maintenance().popPaused()) {
      return false;
    }
    int end = path.indexOf('/', QUEUE.length());
    var queue = path.substring(QUEUE.length(), end < 0 ? path.length() : end);
    String partition = null;
    if (end >= 0) {
      if (!path.startsWith(PARTITION, end)) {
        return false;
      }
      partition = path.substring(end + PARTITION.length());
    }
    if (queue.isEmpty()
        || (partition != null && (partition.isEmpty() || partition.contains("/")))) {
      return false;
    }
    try {
      pop(exchange, queue, partition);
    } catch (RuntimeException refusal) {
      refusals.send(exchange, refusal);
    }
    return true;
  }

  private void pop(DirectExchange exchange, String queue, String partition) {
    var tenant = tenancy.of(exchange);
    var query = PopQuery.of(Query.parse(exchange.query()), config);
    long waitMs = query.longPoll() ? PopRoutes.engineWaitMs(query.timeoutMs()) : 0;
    var chosen = query.chosen(queue, partition, config.autopilot().batch());
    var request = query.request(tenant, queue, partition, waitMs, chosen);
    var ticket = engine.pop(request);
    var parked = new Parked(exchange, ticket, query, queue, chosen);
    var _ = ticket.result().whenCompleteAsync(parked::result, exchange);
    if (query.longPoll() && !ticket.result().isDone()) {
      fresh.add(parked);
    }
  }

  /** A pop under way. */
  private final class Parked {
    private final DirectExchange exchange;
    private final PopTicket ticket;
    private final PopQuery query;
    private final String queue;
    private final PopAnswer.Chosen chosen;
    private final long deadlineNanos;
    private final AtomicBoolean answered = new AtomicBoolean();
    private final Runnable pause;
    private boolean watched;
    private ClientWatch watch;

    Parked(
        DirectExchange exchange,
        PopTicket ticket,
        PopQuery query,
        String queue,
        PopAnswer.Chosen chosen) {
      this.exchange = exchange;
      this.ticket = ticket;
      this.pause = ticket::endWait;
      this.query = query;
      this.queue = queue;
      this.chosen = chosen;
      this.deadlineNanos =
          System.nanoTime()
              + TimeUnit.MILLISECONDS.toNanos(PopRoutes.deadlineMs(query.timeoutMs()));
    }

    boolean isOver() {
      return answered.get();
    }

    /** Its connection is watched, and it is ended when pops are paused. */
    synchronized void watch() {
      if (!answered.get()) {
        watched = true;
        watch = exchange.watch(this::gone);
        gates.maintenance().onPopPause(pause);
        if (answered.get()) {
          // Its client left while it was told.
          gates.maintenance().forget(pause);
        }
      }
    }

    /** Claims the right to answer it; the connection is the server's again. */
    private boolean answer() {
      if (!answered.compareAndSet(false, true)) {
        return false;
      }
      synchronized (this) {
        if (watched) {
          watch.close();
          gates.maintenance().forget(pause);
        }
      }
      return true;
    }

    void result(PopResult result, Throwable failure) {
      if (!answer()) {
        return;
      }
      if (failure != null) {
        refusals.send(exchange, failure);
      } else if (result.claims().isEmpty()) {
        empty(result);
      } else {
        messages(result);
      }
    }

    private void empty(PopResult result) {
      if (gates.maintenance().popPaused()) {
        sendPaused();
      } else if (result.policy().conflation() || result.policy().conflict()) {
        var json = PopAnswer.empty(result.policy(), queue, query.group());
        exchange.send(200, json, json.length, () -> {});
      } else {
        exchange.sendNothing();
      }
    }

    private void messages(PopResult result) {
      JsonOut json;
      try {
        json = PopAnswer.write(result, queue, query.group(), chosen, gates.cipher());
      } catch (RuntimeException e) {
        abandon();
        refusals.send(exchange, e);
        return;
      }
      exchange.send(200, json.buffer(), json.size(), this::abandon);
      counters.popAnswerBytes.add(json.size());
    }

    private void sendPaused() {
      if (query.conflation()) {
        var json = PopRoutes.pausedBytes();
        exchange.send(200, json, json.length, () -> {});
      } else {
        exchange.sendNothing();
      }
    }

    void endIfLate(long nanoTime) {
      if (nanoTime - deadlineNanos >= 0) {
        ticket.endWait();
      }
    }

    private void gone() {
      if (answered.compareAndSet(false, true)) {
        gates.maintenance().forget(pause);
        abandon();
        exchange.execute(exchange::abandon);
      }
    }

    private void abandon() {
      counters.popsAbandoned.increment();
      ticket.cancel();
    }
  }

  private void look() {
    while (true) {
      try {
        Thread.sleep(LOOK_INTERVAL_MS);
      } catch (InterruptedException e) {
        return;
      }
      for (var parked = fresh.poll(); parked != null; parked = fresh.poll()) {
        if (!parked.isOver()) {
          parked.watch();
          waiting.add(parked);
        }
      }
      long now = System.nanoTime();
      waiting.removeIf(
          parked -> {
            parked.endIfLate(now);
            return parked.isOver();
          });
    }
  }

  /** Ends the looking; what is parked is answered by the engine's end. */
  @Override
  public void close() {
    looking.interrupt();
  }
}
