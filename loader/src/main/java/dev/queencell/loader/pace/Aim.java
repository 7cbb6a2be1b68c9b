package dev.queencell.loader.pace;

/**
 * Where each event of a schedule goes. A pure function, so that any number of pacer threads agree
 * on it without speaking to each other.
 */
public interface Aim {
  /** The tenant's index. */
  int tenant(long event);

  /** The lane's index, for an event due this long after the schedule's start. */
  int partition(long event, long sinceStartNanos);
}
