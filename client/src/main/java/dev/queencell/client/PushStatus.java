package dev.queencell.client;

/** What became of one pushed item. */
public enum PushStatus {
  /** Committed. */
  QUEUED,
  /** The same transaction id was stored before; nothing written. */
  DUPLICATE,
  /** Taken into the broker's spool, stored later. */
  BUFFERED,
  /** Not taken. */
  FAILED;

  static PushStatus of(String word) {
    return switch (word) {
      case "queued" -> QUEUED;
      case "duplicate" -> DUPLICATE;
      case "buffered" -> BUFFERED;
      default -> FAILED;
    };
  }

  /** Whether the broker has the message now or will store it. */
  public boolean accepted() {
    return this == QUEUED || this == BUFFERED;
  }
}
