package dev.queencell.broker.engine;

/** What a consumer says about a message, after the contract's normalisation. */
public enum AckStatus {
  COMPLETED,
  RETRY,
  FAILED,
  DLQ;

  /** Reads the word of a request: exact and case-sensitive; what is unknown has failed. */
  public static AckStatus of(String word) {
    return switch (word) {
      case null -> COMPLETED;
      case "completed", "success", "acked", "ok" -> COMPLETED;
      case "retry" -> RETRY;
      case "dlq" -> DLQ;
      default -> FAILED;
    };
  }
}
