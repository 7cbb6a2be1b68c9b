package dev.queencell.proxy.edge;

/**
 * How one request fares with the soft limits. In shadow mode a request that would have been refused
 * goes on, but is nobody's business any more: what comes after the refusal would never have been
 * asked, so that it takes no tokens and counts for no cap. That keeps the decisions of shadow mode
 * those that enforcing would have brought.
 *
 * <p>Confined to the request's thread.
 */
final class Pass {
  private boolean passedOver;

  /** A limit let the request go on that it would have refused. */
  void passOver() {
    passedOver = true;
  }

  boolean isPassedOver() {
    return passedOver;
  }
}
