package dev.queencell.broker.engine;

import dev.queencell.broker.store.PostgresReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Reads what the lanes publish, of the term that lives now. */
final class CellMetering implements Metering {
  /** Settings change with a restart, or by hand: they need not be read for every page. */
  private static final long SERVER_NANOS_MAX = 300_000_000_000L;

  private final Supplier<CellTerm> living;
  private final EngineCounters counters;
  private final CellReads reads;
  private Server server;
  private long serverReadNanos;

  /**
   * Meters a cell.
   *
   * @param living the term that lives now, or null
   */
  CellMetering(Supplier<CellTerm> living, EngineCounters counters, CellReads reads) {
    this.living = living;
    this.counters = counters;
    this.reads = reads;
  }

  @Override
  public Works works(WorkKind kind) {
    return counters.works.read(kind);
  }

  @Override
  public List<QueueDepth> deadLetters() {
    var term = living.get();
    return term == null
        ? List.of()
        : term.queues().stream()
            .filter(queue -> queue.deadLetters.get() > 0)
            .map(q -> new QueueDepth(q.key.tenant(), q.key.name(), q.deadLetters.get()))
            .toList();
  }

  @Override
  public Autopilot autopilot(boolean applied) {
    return (applied ? counters.autopilotOn : counters.autopilotShadow).read();
  }

  @Override
  public Map<String, TenantCounts> tenants() {
    return counters.tenants.read();
  }

  @Override
  public LastMinute lastMinute() {
    var term = living.get();
    long oldest = Long.MAX_VALUE;
    List<QueueMinute> queues = new ArrayList<>();
    for (var lane : term == null ? List.<Lane>of() : term.lanes()) {
      var minute = lane.history.lastMinute();
      if (minute.minute() > 0) {
        oldest = Math.min(oldest, minute.minute());
        for (var entry : minute.queues()) {
          var key = entry.key();
          queues.add(new QueueMinute(key.tenant(), key.name(), entry.counts()));
        }
      }
    }
    if (oldest == Long.MAX_VALUE) {
      return new LastMinute(-1, List.of());
    }
    long endSeconds = (oldest + 1) * 60;
    return new LastMinute(
        Math.max(0, System.currentTimeMillis() / 1_000 - endSeconds), List.copyOf(queues));
  }

  @Override
  public Sessions sessions() {
    var term = living.get();
    int open = reads.sessions().sessions() + (term == null ? 0 : term.sessions());
    return new Sessions(open, reads.sessions().idle());
  }

  @Override
  public synchronized Server server() {
    long now = System.nanoTime();
    if (server == null || now - serverReadNanos > SERVER_NANOS_MAX) {
      serverReadNanos = now;
      server = readServer();
    }
    return server;
  }

  private Server readServer() {
    try {
      var settings = reads.read(session -> new PostgresReader(session).settings());
      return new Server(settings.get("server_version"), settings);
    } catch (EngineUnavailableException e) {
      return null;
    }
  }
}
