package dev.queencell.loader.run;

/** What makes a run's pushes. */
public interface Load {
  /** Begins; returns at once. */
  void start();

  /**
   * Begins no push that is not due yet; returns when none can begin any more.
   *
   * @param atOnce leaves out also what is due and late
   */
  void stop(boolean atOnce) throws InterruptedException;

  /** Requests underway. */
  int inFlight();

  /** Whether all that was to be pushed has been, before the time was up. */
  boolean finished();

  /** Pushes that began more than 5 ms after they were due. */
  long late();
}
