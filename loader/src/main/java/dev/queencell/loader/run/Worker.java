package dev.queencell.loader.run;

/** Something that consumes until it is told to stop. */
public interface Worker {
  /** Begins; returns at once. */
  void start();

  /** Asks it to end after what it has in hand; returns at once. */
  void stop();

  /** Waits for its end. */
  void join() throws InterruptedException;
}
