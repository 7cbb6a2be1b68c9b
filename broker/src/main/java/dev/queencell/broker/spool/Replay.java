package dev.queencell.broker.spool;

import dev.queencell.broker.engine.EngineUnavailableException;
import dev.queencell.broker.engine.PushItem;
import dev.queencell.broker.engine.PushOutcome;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores what was spooled, oldest first, a batch at a time: the next batch begins when every record
 * of the one before is stored, known to be stored already, or set aside. One thread.
 *
 * <p>What passes by itself (no owner, no database, a commit in doubt) is tried again without end.
 * What fails for a reason of its own is tried a few times and then kept under {@code failed/}, so
 * that one bad record never holds up the others.
 */
final class Replay implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(Replay.class);

  private static final int ATTEMPTS_MAX = 5;
  private static final int FAILURES_BEFORE_REST = 10;
  private static final long REST_MS = 5_000;

  private final Spool spool;
  private final Destination destination;
  private final long retryMs;
  private volatile boolean closing;
  private int failuresInRow;

  /** Where spooled messages go. */
  interface Destination {
    /** Whether it can take something now; costs nothing to ask. */
    boolean open();

    /**
     * Stores; one outcome per item.
     *
     * @throws EngineUnavailableException when it can't for now
     */
    List<PushOutcome> push(UUID tenant, List<PushItem> items);
  }

  Replay(Spool spool, Destination destination, long retryMs) {
    this.spool = spool;
    this.destination = destination;
    this.retryMs = retryMs;
  }

  @Override
  public void run() {
    try {
      while (!closing) {
        try {
          step();
        } catch (IOException | RuntimeException e) {
          LOG.error("the spool can't be replayed now: {}", e.toString());
          spool.rest(REST_MS);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends the thread after the push that it is at. */
  void close() {
    closing = true;
  }

  private void step() throws IOException, InterruptedException {
    if (spool.isEmpty()) {
      spool.awaitRecords();
      return;
    }
    var batch = destination.open() ? spool.next() : null;
    if (batch == null) {
      spool.rest(retryMs);
      return;
    }
    while (!closing && !batch.settled()) {
      if (!destination.open() || !round(batch)) {
        spool.rest(failuresInRow >= FAILURES_BEFORE_REST ? REST_MS : retryMs);
      }
    }
    if (batch.settled()) {
      spool.replayed(batch);
    }
  }

  /** Tries once what is left of a batch; true when nothing of it failed. */
  private boolean round(Batch batch) throws IOException {
    for (var group : batch.unsettled().entrySet()) {
      push(group.getKey(), group.getValue());
    }
    for (var entry : batch.entries) {
      if (!entry.settled && (entry.record == null || entry.attempts >= ATTEMPTS_MAX)) {
        LOG.error("a spooled message can't be stored and is kept as failed/{}", entry.name);
        spool.fail(entry);
        entry.settled = true;
      }
    }
    boolean settled = batch.settled();
    failuresInRow = settled ? 0 : failuresInRow + 1;
    return settled;
  }

  private void push(UUID tenant, List<Batch.Entry> entries) {
    try {
      var outcomes = destination.push(tenant, entries.stream().map(Batch.Entry::item).toList());
      for (int i = 0; i < entries.size(); i++) {
        settle(entries.get(i), outcomes.get(i));
      }
    } catch (EngineUnavailableException e) {
      LOG.debug("not stored now: {}", e.getMessage());
    } catch (RuntimeException e) {
      if (entries.size() == 1) {
        LOG.warn("a spooled message is refused: {}", e.toString());
        entries.getFirst().attempts++;
        return;
      }
      // One of them is to blame: the others must not share its fate.
      entries.forEach(entry -> push(tenant, List.of(entry)));
    }
  }

  private static void settle(Batch.Entry entry, PushOutcome outcome) {
    switch (outcome.status()) {
      case QUEUED, DUPLICATE, BUFFERED -> entry.settled = true;
      case FAILED -> {
        boolean passes =
            PushOutcome.NOT_COMMITTED.equals(outcome.reason())
                || PushOutcome.IN_DOUBT.equals(outcome.reason());
        if (!passes) {
          entry.attempts++;
          LOG.warn("a spooled message is refused: {}", outcome.reason());
        }
      }
    }
  }
}
