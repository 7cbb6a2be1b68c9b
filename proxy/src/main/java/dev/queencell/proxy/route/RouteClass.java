package dev.queencell.proxy.route;

import java.util.Locale;
import java.util.Set;

/** The classes of the authorization matrix. */
public enum RouteClass {
  PRODUCE(Scope.PRODUCE),
  CONSUME(Scope.CONSUME),
  QUEUE_ADMIN(Scope.ADMIN),
  READ(Scope.READ, Scope.ADMIN),
  GATED_WRITE(Scope.PRODUCE, Scope.CONSUME),
  GATED_READ(Scope.values()),
  /** The whole cell's business: for nobody who comes with a key. */
  OPERATOR,
  /** For nobody. */
  BLOCKED;

  /** The bits of the scopes that are enough. */
  private final int scopes;

  private final String label;

  RouteClass(Scope... scopes) {
    this.scopes = bits(Set.of(scopes));
    this.label = name().toLowerCase(Locale.ROOT);
  }

  /** True when a key with these scopes may call it: one of the class's own is enough. */
  public boolean allows(Set<Scope> held) {
    return (scopes & bits(held)) != 0;
  }

  private static int bits(Set<Scope> scopes) {
    int bits = 0;
    for (var scope : scopes) {
      bits |= scope.bit();
    }
    return bits;
  }

  /** True when a person in this role may call it; null is nobody's role. */
  public boolean allows(Role role) {
    if (role == null) {
      return false;
    }
    return switch (this) {
      case PRODUCE -> role == Role.ADMIN || role == Role.PRODUCER;
      case CONSUME -> role == Role.ADMIN || role == Role.CONSUMER;
      case QUEUE_ADMIN -> role == Role.ADMIN;
      case READ, GATED_READ -> true;
      case GATED_WRITE -> role != Role.VIEWER;
      case OPERATOR, BLOCKED -> false;
    };
  }

  /** The name in metrics. */
  public String label() {
    return label;
  }
}
