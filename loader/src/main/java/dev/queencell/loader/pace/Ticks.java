package dev.queencell.loader.pace;

import java.util.concurrent.locks.LockSupport;

/** The clock that the pacer lives by. */
public interface Ticks {
  /** Monotonic time in ns. */
  long nanoTime();

  /** Returns at about that time, or earlier; never much later. */
  void parkUntil(long nanoTime);

  /** The machine's own monotonic clock. */
  static Ticks system() {
    return new Ticks() {
      @Override
      public long nanoTime() {
        return System.nanoTime();
      }

      @Override
      public void parkUntil(long nanoTime) {
        LockSupport.parkNanos(this, nanoTime - System.nanoTime());
      }
    };
  }
}
