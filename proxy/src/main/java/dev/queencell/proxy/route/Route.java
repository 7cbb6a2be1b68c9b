package dev.queencell.proxy.route;

import static dev.queencell.proxy.route.RouteClass.CONSUME;
import static dev.queencell.proxy.route.RouteClass.GATED_READ;
import static dev.queencell.proxy.route.RouteClass.GATED_WRITE;
import static dev.queencell.proxy.route.RouteClass.PRODUCE;
import static dev.queencell.proxy.route.RouteClass.QUEUE_ADMIN;

/**
 * What a request is: its class, the feature that it needs, and, where the edge does more than
 * forward it, what exactly. Routes of one class that are all treated alike share one constant.
 */
public enum Route {
  PUSH(PRODUCE),
  TRANSACTION(PRODUCE),
  POP(CONSUME),
  CONSUME_OTHER(CONSUME),
  CONFIGURE(QUEUE_ADMIN),
  QUEUE_DELETE(QUEUE_ADMIN),
  DLQ_REPLAY(QUEUE_ADMIN),
  DLQ_RETRY(QUEUE_ADMIN),
  QUEUE_ADMIN_OTHER(QUEUE_ADMIN),
  READ(RouteClass.READ),
  STREAMS_CYCLE(GATED_WRITE, Feature.STREAMS),
  STREAMS_OTHER(GATED_WRITE, Feature.STREAMS),
  TRACES_WRITE(GATED_WRITE, Feature.TRACES),
  KV_BATCH(GATED_WRITE, Feature.KV),
  KV_PUT(GATED_WRITE, Feature.KV),
  KV_DELETE(GATED_WRITE, Feature.KV),
  KV_READ(GATED_READ, Feature.KV),
  TIMERS_BATCH(GATED_WRITE, Feature.TIMERS),
  TIMERS_CANCEL(GATED_WRITE, Feature.TIMERS),
  TIMERS_READ(GATED_READ, Feature.TIMERS),
  EPHEMERAL_PUSH(GATED_WRITE, Feature.EPHEMERAL),
  EPHEMERAL_POP(GATED_WRITE, Feature.EPHEMERAL),
  EPHEMERAL_WRITE(GATED_WRITE, Feature.EPHEMERAL),
  EPHEMERAL_READ(GATED_READ, Feature.EPHEMERAL),
  OPERATOR(RouteClass.OPERATOR),
  /** On the list of what nobody may call. */
  BLOCKED(RouteClass.BLOCKED),
  /** On no list; refused like {@link #BLOCKED}. */
  UNKNOWN(RouteClass.BLOCKED);

  private final RouteClass routeClass;
  private final Feature feature;

  Route(RouteClass routeClass) {
    this(routeClass, null);
  }

  Route(RouteClass routeClass, Feature feature) {
    this.routeClass = routeClass;
    this.feature = feature;
  }

  public RouteClass routeClass() {
    return routeClass;
  }

  /** The feature that the plan must have, or null. */
  public Feature feature() {
    return feature;
  }

  /** True for what makes the tenant's data grow, which a push block stops. */
  public boolean grows() {
    return switch (this) {
      case PUSH,
          TRANSACTION,
          DLQ_REPLAY,
          DLQ_RETRY,
          EPHEMERAL_PUSH,
          STREAMS_CYCLE,
          KV_BATCH,
          KV_PUT,
          TIMERS_BATCH ->
          true;
      default -> false;
    };
  }

  /**
   * True for those of {@link #grows} that may also do nothing of the kind: while pushes are
   * blocked, their bodies say whether they pass.
   */
  public boolean mayOnlyShrink() {
    return this == STREAMS_CYCLE || this == KV_BATCH || this == TIMERS_BATCH;
  }

  /** True for what hands messages out and may wait for some. */
  public boolean mayWait() {
    return this == POP || this == EPHEMERAL_POP;
  }
}
