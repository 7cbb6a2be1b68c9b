package dev.queencell.loader.fault;

/** A deliberate discrepancy; N of it make exactly N of its count. */
public enum Fault {
  /** An accepted message is pushed again, as a request of its own: a duplicate. */
  DUP_PUSH("dup-push"),
  /** A delivered message is thrown away before it is accounted: missing. */
  LOSE_MSG("lose-msg"),
  /** An ack is not sent, so that its message comes again after the lease ends: a duplicate. */
  DROP_ACK("drop-ack"),
  /** A first delivery is judged only after one that it preceded: an order violation. */
  SWAP("swap"),
  /** A delivery is judged once more as if another tenant's consumer had received it: a cross. */
  CROSS("cross");

  private final String word;

  Fault(String word) {
    this.word = word;
  }

  public String word() {
    return word;
  }
}
