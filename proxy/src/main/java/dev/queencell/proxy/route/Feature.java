package dev.queencell.proxy.route;

import java.util.Locale;

/** Families of routes that a plan has or has not. */
public enum Feature {
  STREAMS,
  TRACES,
  KV,
  TIMERS,
  EPHEMERAL;

  /** The name in a plan's features. */
  public String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }
}
