package dev.queencell.service;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpStream;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * The end of a link at which requests arrive. A request that {@link DirectRoutes} do not begin is
 * sent back to be sent over HTTP.
 */
final class LinkServer extends LinkEnd implements Connection.UpgradeTo {
  private final DirectHandler handler;
  private final Map<Integer, LinkExchange> open = new HashMap<>();

  private LinkServer(WatchedEndPoint endPoint, Connector connector, DirectHandler handler) {
    super(endPoint, connector.getExecutor(), endPoint::onSelector, connector.getScheduler());
    this.handler = handler;
  }

  /** Whether a request asks for a link. */
  static boolean isAskedFor(Request request) {
    return HttpMethod.GET.is(request.getMethod())
        && PATH.equals(request.getHttpURI().getPath())
        && PROTOCOL.equals(request.getHeaders().get(HttpHeader.UPGRADE));
  }

  /** Makes the connection of a request a link. */
  static void upgrade(
      Request request, Response response, Callback callback, DirectHandler handler) {
    var connector = request.getConnectionMetaData().getConnector();
    var link = new LinkServer(WatchedEndPoint.of(request), connector, handler);
    request.setAttribute(HttpStream.UPGRADE_CONNECTION_ATTRIBUTE, link);
    response.setStatus(HttpStatus.SWITCHING_PROTOCOLS_101);
    response.getHeaders().put(HttpHeader.UPGRADE, PROTOCOL).put(HttpHeader.CONNECTION, "Upgrade");
    callback.succeeded();
  }

  /** Nothing may have come yet: the other end waits for the answer. */
  @Override
  public void onUpgradeTo(ByteBuffer early) {
    if (early != null && early.hasRemaining()) {
      close();
    }
  }

  @Override
  public void onOpen() {
    super.onOpen();
    handler.opened(this);
  }

  @Override
  Runnable burst() {
    return handler.burst();
  }

  @Override
  void frame(Kind kind, int number, ByteBuffer content) throws IOException {
    var exchange = open.get(number);
    switch (kind) {
      case REQUEST -> {
        if (exchange != null) {
          throw new IOException("two requests have the number %d".formatted(number));
        }
        begin(number, content);
      }
      case CANCEL -> {
        if (exchange != null) {
          exchange.gone();
        }
      }
      case MORE -> {
        if (exchange != null) {
          exchange.sendPiece();
        }
      }
      default -> throw new IOException(kind + " from the end that asks");
    }
  }

  private void begin(int number, ByteBuffer content) {
    var exchange = LinkExchange.read(this, number, content);
    if (exchange == null) {
      say(Kind.ELSEWHERE, number);
      return;
    }
    open.put(number, exchange);
    if (!handler.begin(exchange)) {
      open.remove(number);
      say(Kind.ELSEWHERE, number);
    }
  }

  /** A request has had its answer. */
  void answered(int number) {
    open.remove(number);
    handler.ended();
  }

  @Override
  void ended() {
    handler.closed(this);
    for (var exchange : new ArrayList<>(open.values())) {
      safely(exchange::gone);
    }
  }
}
