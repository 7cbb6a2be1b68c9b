package dev.queencell.proxy.route;

import java.util.Locale;

/** What a person may be on a cluster. */
public enum Role {
  ADMIN,
  PRODUCER,
  CONSUMER,
  VIEWER;

  /** The role of a name, or null when there is none: it may do nothing. */
  public static Role of(String wireName) {
    for (var role : values()) {
      if (role.name().toLowerCase(Locale.ROOT).equals(wireName)) {
        return role;
      }
    }
    return null;
  }
}
