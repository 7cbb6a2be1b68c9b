package dev.queencell.proxy.edge;

import dev.queencell.proxy.body.AnswerCount;
import dev.queencell.proxy.body.DeliveryCount;
import dev.queencell.proxy.body.MemberCount;
import dev.queencell.proxy.body.PushCount;
import dev.queencell.proxy.body.TransactionCount;
import dev.queencell.proxy.meter.Meter;
import dev.queencell.proxy.meter.UsageClass;
import dev.queencell.proxy.route.Route;
import dev.queencell.proxy.route.RouteClass;

/**
 * What one answered request costs its cluster: counted from what the broker says that it did, piece
 * by piece, and metered before the piece goes out, so that no client knows of a message that is not
 * counted. Deliveries leave the message bucket at once: the client's next push must not outrun its
 * pop's debit.
 *
 * <p>Not thread-safe; one use.
 */
final class Bill {
  private static final int SUCCESS_MIN = 200;
  private static final int SUCCESS_MAX = 299;

  private final Meter meter;
  private final LimitNotes notes;
  private final Exchange exchange;
  private final UsageClass usageClass;
  private final AnswerCount counter;
  private boolean requestMetered;
  private boolean settled;
  private long messagesMetered;
  private long bytesOut;
  private long bytesMetered;

  Bill(Meter meter, LimitNotes notes, Exchange exchange, int status) {
    this.meter = meter;
    this.notes = notes;
    this.exchange = exchange;
    this.usageClass = usageClass(exchange.route());
    boolean success = status >= SUCCESS_MIN && status <= SUCCESS_MAX;
    this.counter = success ? counter(exchange) : null;
  }

  /** A request that the broker never answered: it counts, and nothing else does. */
  static void unanswered(Meter meter, Exchange exchange) {
    meter.add(
        exchange.use().clusterUuid(), usageClass(exchange.route()), 1, 0, exchange.bytesIn(), 0);
    giveBack(exchange, 0);
  }

  /** True when the count is known only at the end, so that the last piece has to wait for it. */
  boolean needsEnd() {
    return exchange.route() == Route.TRANSACTION || exchange.route() == Route.STREAMS_CYCLE;
  }

  /** The next piece, which has not gone out yet. */
  void feed(byte[] piece, int length) {
    bytesOut += length;
    if (counter == null) {
      return;
    }
    counter.feed(piece, 0, length);
    if (!needsEnd()) {
      meterMessages();
    }
  }

  /** The whole answer is here, or what there will be of it. */
  void settle() {
    if (settled) {
      return;
    }
    settled = true;
    meterMessages();
    meterRest();
    if (counter instanceof PushCount push && 2 * push.buffered() > exchange.pushItems()) {
      notes.spooling(exchange.cluster());
    }
    giveBack(exchange, counter == null ? 0 : counter.count());
  }

  private void meterMessages() {
    long more = counter == null ? 0 : counter.count() - messagesMetered;
    if (more == 0) {
      return;
    }
    messagesMetered += more;
    var messageClass = messageClass(exchange.route());
    boolean same = messageClass == usageClass && !requestMetered;
    meter.add(
        exchange.use().clusterUuid(),
        messageClass,
        same ? 1 : 0,
        more,
        same ? exchange.bytesIn() : 0,
        0);
    requestMetered |= same;
    if (exchange.route().mayWait()) {
      Quota.debitDelivered(exchange.use(), exchange.pass(), more);
    }
  }

  private void meterRest() {
    meter.add(
        exchange.use().clusterUuid(),
        usageClass,
        requestMetered ? 0 : 1,
        0,
        requestMetered ? 0 : exchange.bytesIn(),
        bytesOut - bytesMetered);
    bytesMetered = bytesOut;
    requestMetered = true;
  }

  /** Room that was taken for messages which were not stored. */
  private static void giveBack(Exchange exchange, long stored) {
    long items = exchange.pushItems();
    long bytes = exchange.pushBytes();
    if (items > 0 && bytes > 0 && stored < items) {
      exchange.use().storage().giveBack(bytes - bytes * stored / items);
    }
  }

  private static AnswerCount counter(Exchange exchange) {
    return switch (exchange.route()) {
      case PUSH -> new PushCount();
      case TRANSACTION -> new TransactionCount(exchange.pushItems());
      case POP, EPHEMERAL_POP -> new DeliveryCount();
      case STREAMS_CYCLE -> new MemberCount(MemberCount.Of.CYCLE);
      case DLQ_REPLAY, DLQ_RETRY -> new MemberCount(MemberCount.Of.REPLAY);
      case TIMERS_BATCH -> new MemberCount(MemberCount.Of.TIMERS);
      case EPHEMERAL_PUSH -> new MemberCount(MemberCount.Of.EPHEMERAL_PUSH);
      default -> null;
    };
  }

  private static UsageClass usageClass(Route route) {
    return switch (route) {
      case PUSH, EPHEMERAL_PUSH -> UsageClass.PUSH;
      case TRANSACTION -> UsageClass.TXN;
      case POP, EPHEMERAL_POP -> UsageClass.DELIVERY;
      default ->
          route.routeClass() == RouteClass.QUEUE_ADMIN ? UsageClass.CONFIGURE : UsageClass.READ;
    };
  }

  /** What a cycle, a replay or a timer stores counts as pushed, whatever its request counts as. */
  private static UsageClass messageClass(Route route) {
    return switch (route) {
      case STREAMS_CYCLE, DLQ_REPLAY, DLQ_RETRY, TIMERS_BATCH -> UsageClass.PUSH;
      default -> usageClass(route);
    };
  }
}
