package dev.queencell.broker.engine;

/**
 * What an acknowledgement did.
 *
 * @param error null on success, else the contract's text
 * @param leaseReleased this call ended the lease of the pair
 * @param deadLettered a dead letter was filed
 * @param noop completed before, nothing changed
 * @param conflated positions that a conflating lease completed without delivering them; -1 where
 *     that says nothing
 */
public record AckOutcome(
    boolean success,
    String error,
    boolean leaseReleased,
    boolean deadLettered,
    boolean noop,
    long conflated) {

  public AckOutcome(
      boolean success, String error, boolean leaseReleased, boolean deadLettered, boolean noop) {
    this(success, error, leaseReleased, deadLettered, noop, -1);
  }

  AckOutcome withConflated(long positions) {
    return new AckOutcome(success, error, leaseReleased, deadLettered, noop, positions);
  }

  public static AckOutcome refused(String error) {
    return new AckOutcome(false, error, false, false, false);
  }
}
