package dev.queencell.proxy.edge;

import dev.queencell.proxy.meter.Meter;
import java.io.IOException;
import org.apache.hc.core5.http.ClassicHttpResponse;

/**
 * Sends a broker's answer on. Small answers of known length cross in one piece, so that one write
 * carries them; everything else streams as it comes, a piece at a time.
 *
 * <p>Thread-safe.
 */
final class Relay {
  /** What is not worth streaming. */
  static final int ONE_PIECE_BYTES_MAX = 64 * 1024;

  private static final int CHUNK_BYTES = 32 * 1024;

  private final Meter meter;
  private final LimitNotes notes;

  Relay(Meter meter, LimitNotes notes) {
    this.meter = meter;
    this.notes = notes;
  }

  void relay(ServletExchange exchange, ClassicHttpResponse answer) throws ClientGoneException {
    var bill = new Bill(meter, notes, exchange, answer.getCode());
    try {
      relay(exchange, answer, bill);
    } finally {
      bill.settle();
    }
  }

  private static void relay(ServletExchange exchange, ClassicHttpResponse answer, Bill bill)
      throws ClientGoneException {
    var entity = answer.getEntity();
    long length = entity == null ? 0 : entity.getContentLength();
    if (entity != null && length > 0 && length <= ONE_PIECE_BYTES_MAX) {
      // Read before the head is written: a broker that breaks off here is still a clean 502.
      var whole = readWhole(answer, (int) length);
      bill.feed(whole, whole.length);
      bill.settle();
      writeHead(exchange, answer);
      write(exchange, whole, whole.length, false);
    } else {
      if (entity == null || length == 0) {
        bill.settle();
      }
      writeHead(exchange, answer);
      if (entity != null && length != 0) {
        stream(exchange, answer, bill, length < 0);
      }
    }
  }

  private static byte[] readWhole(ClassicHttpResponse answer, int length) {
    var whole = new byte[length];
    try {
      var in = answer.getEntity().getContent();
      if (in.readNBytes(whole, 0, length) == length && in.read() < 0) {
        return whole;
      }
    } catch (IOException e) {
      // Told below: however it broke off, there is no answer.
    }
    throw Refusals.brokerUnreachable();
  }

  private static void writeHead(ServletExchange exchange, ClassicHttpResponse answer) {
    var response = exchange.request().getServletContextResponse();
    response.setStatus(answer.getCode());
    ForwardedHeaders.toClient(answer, response.getHeaders());
  }

  private static void write(ServletExchange exchange, byte[] piece, int length, boolean flush)
      throws ClientGoneException {
    try {
      var out = exchange.ctx().res().getOutputStream();
      out.write(piece, 0, length);
      if (flush) {
        out.flush();
      }
    } catch (IOException e) {
      throw new ClientGoneException(e);
    }
  }

  /**
   * Passes on what comes as it comes. Where the count is known only at the end, each piece waits
   * until the next one, or the end, is there.
   */
  private static void stream(
      ServletExchange exchange, ClassicHttpResponse answer, Bill bill, boolean flushes)
      throws ClientGoneException {
    var piece = new byte[CHUNK_BYTES];
    byte[] held = bill.needsEnd() ? new byte[CHUNK_BYTES] : null;
    int heldLength = 0;
    while (true) {
      int read = read(exchange, answer, piece);
      if (read < 0) {
        bill.settle();
        if (heldLength > 0) {
          write(exchange, held, heldLength, flushes);
        }
        return;
      }
      bill.feed(piece, read);
      if (held == null) {
        write(exchange, piece, read, flushes);
      } else {
        if (heldLength > 0) {
          write(exchange, held, heldLength, flushes);
        }
        var next = held;
        held = piece;
        heldLength = read;
        piece = next;
      }
    }
  }

  private static int read(ServletExchange exchange, ClassicHttpResponse answer, byte[] piece)
      throws ClientGoneException {
    try {
      return answer.getEntity().getContent().read(piece);
    } catch (IOException e) {
      if (!exchange.ctx().res().isCommitted()) {
        exchange.ctx().res().reset();
        throw Refusals.brokerUnreachable();
      }
      // An answer that broke off must not look complete.
      throw new ClientGoneException(e);
    }
  }
}
