package dev.queencell.proxy.meter;

import java.util.Locale;

/** The classes that usage is kept by. */
public enum UsageClass {
  PUSH(1),
  TXN(2),
  DELIVERY(3),
  CONFIGURE(4),
  READ(5);

  private final long code;

  UsageClass(long code) {
    this.code = code;
  }

  /** The number in the files on disk; never 0. */
  long code() {
    return code;
  }

  /** The class of a number, or null. */
  static UsageClass of(long code) {
    for (var usageClass : values()) {
      if (usageClass.code == code) {
        return usageClass;
      }
    }
    return null;
  }

  /** The name in the tenant state. */
  public String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }
}
