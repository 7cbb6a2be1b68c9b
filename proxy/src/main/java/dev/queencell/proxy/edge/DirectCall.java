package dev.queencell.proxy.edge;

import dev.queencell.proxy.body.PushScan;
import dev.queencell.proxy.route.Route;
import dev.queencell.proxy.upstream.RequestBytes;
import dev.queencell.service.ClientWatch;
import dev.queencell.service.DirectClient;
import dev.queencell.service.HttpExchange;
import dev.queencell.service.HttpProblem;
import dev.queencell.service.HttpServer;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jetty.http.HttpFields;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request on the way that {@link DirectEdge} describes. A short answer of known length crosses
 * in one piece; of any other one the next piece is read when the client has taken the last, so that
 * a slow client holds no more than a piece. What would have to wait (a new lane that the broker is
 * asked about) waits on a virtual thread of its own.
 *
 * <p>Serves one request, one step at a time.
 */
final class DirectCall implements DirectClient.Receiver {
  private static final Logger LOG = LoggerFactory.getLogger(DirectCall.class);

  private static final int PIECE_BYTES = 32 * 1024;
  private static final byte[] NOTHING = new byte[0];

  private final DirectEdge.Parts parts;
  private final HttpExchange direct;
  private final Exchange exchange;
  private final String label;
  private final long startedNs;

  // What it holds until its answer begins.
  private boolean waits;
  private boolean parkedOwn;
  private boolean parked;
  private boolean gated;
  private ClientWatch watch;

  private DirectClient.Call call;
  private Bill bill;
  private int status;
  private HttpFields brokerHeaders;
  private byte[] piece = NOTHING;
  private int filled;
  private boolean inOnePiece;
  private boolean begun;
  private boolean over;

  DirectCall(DirectEdge.Parts parts, HttpExchange direct, Exchange exchange, long startedNs) {
    this.parts = parts;
    this.direct = direct;
    this.exchange = exchange;
    this.label = exchange.route().routeClass().label();
    this.startedNs = startedNs;
  }

  void begin(int bodyBytes) {
    guarded(
        () -> {
          try {
            parts.quota().takeRequest(exchange.cluster(), exchange.use(), exchange.pass());
          } catch (HttpProblem e) {
            exchange.showLimits();
            throw e;
          }
          direct.readBody(
              bodyBytes, body -> guarded(() -> inspect(body)), () -> guarded(this::bodyBroke));
        });
  }

  private void bodyBroke() {
    exchange.showLimits();
    throw exchange.route() == Route.CONSUME_OTHER
        ? Refusals.bodyCutShort()
        : HttpServer.brokenBody();
  }

  private void inspect(byte[] body) {
    if (exchange.route() != Route.CONSUME_OTHER) {
      exchange.tookBody(body.length);
    }
    if (exchange.route() != Route.PUSH) {
      exchange.showLimits();
      forward(body);
      return;
    }
    PushScan.Found found;
    try {
      found = parts.quota().look(exchange.cluster(), body, PushScan.Shape.PUSH);
    } catch (HttpProblem e) {
      exchange.showLimits();
      throw e;
    }
    if (found == null || Quota.lanesAreKnown(exchange.cluster(), exchange.use(), found)) {
      take(found, true);
      forward(body);
    } else {
      elsewhere("admit", () -> take(found, false), () -> forward(body));
    }
  }

  private void take(PushScan.Found found, boolean lanesAreKnown) {
    try {
      if (found != null) {
        parts
            .quota()
            .take(exchange.cluster(), exchange.use(), exchange.pass(), found, lanesAreKnown);
        exchange.pushes(found.items(), found.payloadBytes());
      }
    } finally {
      exchange.showLimits();
    }
  }

  private void forward(byte[] body) {
    var query = exchange.route().mayWait() ? PopQuery.of(exchange.rawQuery()) : PopQuery.AT_ONCE;
    waits = query.waits();
    if (waits) {
      parkedOwn = parts.quota().park(exchange.cluster(), exchange.use(), exchange.pass());
      parked = true;
      send(body, query.answerTimeoutMs(parts.policy()));
    } else if (parts
        .gate()
        .enter(
            exchange.pushItems() > 0,
            () -> direct.execute(() -> guarded(() -> placed(body))),
            () -> direct.execute(() -> guarded(this::late)))) {
      placed(body);
    }
  }

  private void placed(byte[] body) {
    gated = true;
    send(body, parts.brokers().timeoutMs());
  }

  private void late() {
    Bill.unanswered(parts.meter(), exchange);
    throw Refusals.brokerTimedOut();
  }

  private void send(byte[] body, long timeoutMs) {
    var cluster = exchange.cluster();
    var request =
        new RequestBytes(
            exchange.method(),
            exchange.rawPathAndQuery(),
            cluster.brokerHost(),
            cluster.brokerPort(),
            body);
    ForwardedHeaders.toBroker(
        exchange.headers(), cluster, parts.policy().tenantHeader(), request::header);
    boolean isGet = exchange.route() == Route.POP;
    call =
        parts
            .brokers()
            .direct()
            .call(
                cluster.brokerHost(),
                cluster.brokerPort(),
                request.end(body, !isGet),
                isGet,
                timeoutMs,
                this);
    if (waits) {
      parts.waiting().add(exchange, call::cancel);
    }
    call.send();
  }

  /** Only a client that waits for long is worth being watched. */
  @Override
  public void lasts() {
    if (parked) {
      watch = direct.watch(call::cancel);
    }
  }

  @Override
  public void begins(int code, HttpFields headers, long lengthBytes) {
    leave();
    status = code;
    brokerHeaders = headers;
    bill = new Bill(parts.meter(), parts.notes(), exchange, code);
    inOnePiece = lengthBytes >= 0 && lengthBytes <= Relay.ONE_PIECE_BYTES_MAX;
    piece = inOnePiece ? new byte[(int) lengthBytes] : new byte[PIECE_BYTES];
  }

  /** No more comes at once than a piece holds. */
  @Override
  public void body(ByteBuffer bytes) {
    int length = bytes.remaining();
    bytes.get(piece, filled, length);
    filled += length;
  }

  @Override
  public boolean more() {
    if (inOnePiece || filled == 0) {
      return true;
    }
    bill.feed(piece, filled);
    writeHead();
    var met = new AtomicBoolean();
    var bytes = ByteBuffer.wrap(piece, 0, filled);
    filled = 0;
    direct.write(
        bytes,
        false,
        () -> {
          if (!met.compareAndSet(false, true)) {
            call.resume();
          }
        },
        this::clientLeft);
    return !met.compareAndSet(false, true);
  }

  @Override
  public void ends() {
    over = true;
    try {
      bill.feed(piece, filled);
      bill.settle();
      writeHead();
    } catch (RuntimeException e) {
      // Uncounted, so nobody may know of it.
      LOG.error("{} {} failed", exchange.method(), exchange.rawPath(), e);
      direct.abandon();
      return;
    }
    parts.metrics().answered(label, status, startedNs);
    direct.write(
        filled == 0 ? null : ByteBuffer.wrap(piece, 0, filled),
        true,
        () -> {},
        () -> parts.metrics().clientGone());
  }

  @Override
  public void fails(DirectClient.Failure failure) {
    if (over) {
      return;
    }
    var reason = waits ? parts.waiting().reason(exchange) : null;
    leave();
    if (bill != null) {
      bill.settle();
      brokeOff();
    } else if (failure == DirectClient.Failure.CANCELLED) {
      if (reason == null) {
        gone();
      } else {
        refuse(reason);
      }
    } else {
      Bill.unanswered(parts.meter(), exchange);
      refuse(
          failure == DirectClient.Failure.TIMED_OUT
              ? Refusals.brokerTimedOut()
              : Refusals.brokerUnreachable());
    }
  }

  /** An answer that broke off must not look complete. */
  private void brokeOff() {
    if (begun) {
      gone();
    } else {
      refuse(Refusals.brokerUnreachable());
    }
  }

  private void writeHead() {
    if (!begun) {
      begun = true;
      direct.answerStatus(status);
      ForwardedHeaders.toClient(brokerHeaders, direct.answerHeaders());
    }
  }

  /** Its connection broke amid the answer; the exchange has ended with it. */
  private void clientLeft() {
    over = true;
    bill.settle();
    parts.metrics().clientGone();
    call.cancel();
  }

  private void gone() {
    over = true;
    parts.metrics().clientGone();
    direct.abandon();
  }

  private void refuse(HttpProblem problem) {
    over = true;
    parts.metrics().answered(label, problem.status(), startedNs);
    parts
        .metrics()
        .refused(problem.code() == null ? EdgeHandler.CODE_OF_BROKEN_REQUEST : problem.code());
    direct.send(problem);
  }

  /** Gives back what is held while the broker is at it. Idempotent. */
  private void leave() {
    if (gated) {
      gated = false;
      parts.gate().leave();
    }
    if (parked) {
      parked = false;
      if (watch != null) {
        watch.close();
      }
      parts.waiting().remove(exchange);
      exchange.use().unpark(parkedOwn);
    }
  }

  /** What may wait for somebody, and what comes after it on the selector's thread again. */
  private void elsewhere(String name, Runnable waiting, Runnable then) {
    Thread.ofVirtual()
        .name(name)
        .start(
            () -> {
              try {
                waiting.run();
              } catch (RuntimeException e) {
                direct.execute(() -> end(e));
                return;
              }
              direct.execute(() -> guarded(then));
            });
  }

  private void guarded(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException e) {
      end(e);
    }
  }

  private void end(RuntimeException why) {
    leave();
    if (why instanceof HttpProblem problem) {
      refuse(problem);
    } else {
      LOG.error("{} {} failed", exchange.method(), exchange.rawPath(), why);
      refuse(new HttpProblem(500, "internal error", "internal"));
    }
  }
}
