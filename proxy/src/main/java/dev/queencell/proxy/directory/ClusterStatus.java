package dev.queencell.proxy.directory;

import java.util.Locale;

/** What a cluster may do, merged from its own and its tenant's status. */
public enum ClusterStatus {
  ACTIVE,
  PUSH_BLOCKED,
  SUSPENDED;

  String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** A word that this build doesn't know is taken as suspended. */
  static ClusterStatus of(String wireName) {
    return switch (wireName) {
      case "active" -> ACTIVE;
      case "push_blocked" -> PUSH_BLOCKED;
      case null, default -> SUSPENDED;
    };
  }
}
