package dev.queencell.state.policy;

/** What a month's count means under a quota. Pure; no quota is never reached. */
public enum MonthlyQuota {
  /** Below the warning. */
  NONE("none"),
  /** The warning's share is reached. */
  WARNED("warned"),
  /** The quota is reached: no more pushes this month. */
  BLOCKED("blocked");

  private static final long PERCENT = 100;

  private final String wireName;

  MonthlyQuota(String wireName) {
    this.wireName = wireName;
  }

  public String wireName() {
    return wireName;
  }

  /**
   * The level of a count.
   *
   * @param quota null for no quota
   * @param warnPercent of the quota, 1 to 100
   */
  public static MonthlyQuota of(long msgs, Long quota, int warnPercent) {
    if (quota == null) {
      return NONE;
    }
    if (msgs >= quota) {
      return BLOCKED;
    }
    return msgs >= share(quota, warnPercent) ? WARNED : NONE;
  }

  /** The level of that name. */
  public static MonthlyQuota named(String wireName) {
    for (var level : values()) {
      if (level.wireName.equals(wireName)) {
        return level;
      }
    }
    throw new IllegalArgumentException("no level is named " + wireName);
  }

  /** Percent of a quota, rounded up, without overflow. */
  private static long share(long quota, int percent) {
    return quota / PERCENT * percent + Math.ceilDiv(quota % PERCENT * percent, PERCENT);
  }
}
