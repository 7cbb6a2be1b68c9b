package dev.queencell.broker.engine;

import java.util.function.BooleanSupplier;

/**
 * A place where several lanes stop, each with everything durable that it decided before, so that
 * the first of them can decide over the memory of all and write one commit for all. The others
 * stand still meanwhile; the monitor hands their memory over and back.
 *
 * <p>While lanes still gather it can be called off, and nothing has happened. Once all are there
 * the first one alone ends it: in order, or as failed, and then every lane that was there must end
 * too, since its memory ran ahead. Thread-safe.
 */
final class LaneMeeting {
  private enum State {
    GATHERING,
    HELD,
    OVER,
    CALLED_OFF,
    FAILED
  }

  private final int lanes;
  private int arrived;
  private State state = State.GATHERING;

  LaneMeeting(int lanes) {
    this.lanes = lanes;
  }

  /** A lane that is not the first arrives and stands still until the meeting ends. */
  synchronized void attend() {
    arrived++;
    notifyAll();
    awaitWhile(() -> state == State.GATHERING || state == State.HELD);
    if (state == State.FAILED) {
      throw new IllegalStateException("a transaction over several lanes has failed");
    }
  }

  /** The first lane arrives; true when all are there and the memory of all is its own. */
  synchronized boolean open() {
    arrived++;
    awaitWhile(() -> state == State.GATHERING && arrived < lanes);
    if (state == State.GATHERING) {
      state = State.HELD;
    }
    return state == State.HELD;
  }

  private synchronized void awaitWhile(BooleanSupplier condition) {
    try {
      while (condition.getAsBoolean()) {
        wait();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("a lane was interrupted", e);
    }
  }

  /** Lets everybody go on. */
  synchronized void close() {
    state = State.OVER;
    notifyAll();
  }

  /** What was decided is not in the database, or nobody knows. */
  synchronized void fail() {
    state = State.FAILED;
    notifyAll();
  }

  /** Ends it, unless it has been opened; true when it never was. */
  synchronized boolean callOff() {
    if (state == State.GATHERING) {
      state = State.CALLED_OFF;
      notifyAll();
    }
    return state == State.CALLED_OFF;
  }
}
