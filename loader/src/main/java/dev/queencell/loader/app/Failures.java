package dev.queencell.loader.app;

import dev.queencell.loader.pace.Skew;
import java.util.HashSet;
import java.util.Set;

/**
 * Which orders shipping fails: a fixed share for good, another one the first time it sees them. The
 * choice is a hash of the order's place, so that it is the same on every redelivery. Thread-safe.
 */
final class Failures {
  private final double poisonShare;
  private final double failShare;
  private final Set<Place> failedOnce = new HashSet<>();
  private final Set<Place> dead = new HashSet<>();

  /** An order's place. */
  record Place(int partition, long sequence) {}

  Failures(double poisonShare, double failShare) {
    this.poisonShare = poisonShare;
    this.failShare = failShare;
  }

  boolean isPoison(Place place) {
    return uniform(place) < poisonShare;
  }

  private static double uniform(Place place) {
    return Skew.uniform(place.sequence() * 1_000_003 + place.partition());
  }

  /** Whether shipping fails this delivery of the order. */
  synchronized boolean fails(Place place) {
    return isPoison(place) || (uniform(place) < poisonShare + failShare && failedOnce.add(place));
  }

  /** The broker said that it filed this order as a dead letter. */
  synchronized void deadLettered(Place place) {
    dead.add(place);
  }

  synchronized int deadLetters() {
    return dead.size();
  }

  /** Dead letters of orders that would have been done the next time. */
  synchronized long deadBeforeTheirTime() {
    return dead.stream().filter(place -> !isPoison(place)).count();
  }
}
