package dev.queencell.loader.measure;

/** What is timed. Counted from the scheduled instant unless it says otherwise. */
public enum Series {
  /** A push: due to answered. */
  PUSH("push"),
  /** A push: sent to answered. */
  PUSH_FROM_SEND("push-from-send"),
  /** A message: due to received by a consumer. */
  END_TO_END("end-to-end"),
  /** An ack: sent to answered. */
  ACK("ack"),
  /** A push: due to sent, the loader's own lateness. */
  LATENESS("lateness");

  private final String tag;

  Series(String tag) {
    this.tag = tag;
  }

  /** Its tag in the histogram log. */
  public String tag() {
    return tag;
  }
}
