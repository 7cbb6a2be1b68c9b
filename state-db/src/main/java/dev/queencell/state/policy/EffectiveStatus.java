package dev.queencell.state.policy;

/** What the statuses of a tenant and of its cluster allow together: the worse one wins. */
public enum EffectiveStatus {
  /** Everything. */
  ACTIVE("active"),
  /** Consuming and reading, no pushes. */
  PUSH_BLOCKED("push_blocked"),
  /** Nothing. */
  SUSPENDED("suspended");

  private final String wireName;

  EffectiveStatus(String wireName) {
    this.wireName = wireName;
  }

  public String wireName() {
    return wireName;
  }

  /** Merges the two; a status that this build doesn't know is taken as suspended. */
  public static EffectiveStatus of(String tenantStatus, String clusterStatus) {
    var tenant = ofTenant(tenantStatus);
    var cluster = ofCluster(clusterStatus);
    return tenant.compareTo(cluster) >= 0 ? tenant : cluster;
  }

  private static EffectiveStatus ofTenant(String status) {
    return switch (status) {
      case "active" -> ACTIVE;
      case "grace" -> PUSH_BLOCKED;
      case null, default -> SUSPENDED;
    };
  }

  private static EffectiveStatus ofCluster(String status) {
    return switch (status) {
      case "active" -> ACTIVE;
      case "push_blocked" -> PUSH_BLOCKED;
      case null, default -> SUSPENDED;
    };
  }
}
