package dev.queencell.loader.account;

/** What one delivery is. */
public enum Judgement {
  FIRST,
  /** Delivered before; not looked at for order. */
  DUPLICATE,
  /** A first delivery after one that it should have preceded. */
  OUT_OF_ORDER,
  /** The stamp names another tenant than the consumer's. */
  CROSS_TENANT,
  /** The stamp names a lane or sequence that this run never used. */
  NEVER_ISSUED;

  /** Whether it brought a message that had not been delivered before. */
  public boolean isFirst() {
    return this == FIRST || this == OUT_OF_ORDER;
  }
}
