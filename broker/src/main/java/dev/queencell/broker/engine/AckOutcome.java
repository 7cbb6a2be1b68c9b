package dev.queencell.broker.engine;

/**
 * What an acknowledgement did.
 *
 * @param error null on success, else the contract's text
 * @param leaseReleased this call ended the lease of the pair
 * @param deadLettered a dead letter was filed
 * @param noop completed before, nothing changed
 */
public record AckOutcome(
    boolean success, String error, boolean leaseReleased, boolean deadLettered, boolean noop) {

  public static AckOutcome refused(String error) {
    return new AckOutcome(false, error, false, false, false);
  }
}
