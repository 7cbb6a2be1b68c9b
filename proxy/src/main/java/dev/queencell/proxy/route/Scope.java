package dev.queencell.proxy.route;

import java.util.Locale;

/** What an API key may be good for. */
public enum Scope {
  PRODUCE(1),
  CONSUME(2),
  ADMIN(4),
  READ(8);

  private final int bit;

  Scope(int bit) {
    this.bit = bit;
  }

  /** One of its own in a set of scopes. */
  int bit() {
    return bit;
  }

  /** The name in a key's row. */
  public String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }
}
