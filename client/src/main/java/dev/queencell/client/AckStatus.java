package dev.queencell.client;

/** What a consumer says about a message. */
public enum AckStatus {
  /** Done; everything before it in the batch counts as done too. */
  COMPLETED("completed"),
  /** Charges the retry budget; dead-letters when that is used up. */
  FAILED("failed"),
  /** Again, without a charge. */
  RETRY("retry"),
  /** To the dead letters at once. */
  DEAD_LETTER("dlq");

  private final String word;

  AckStatus(String word) {
    this.word = word;
  }

  String word() {
    return word;
  }
}
