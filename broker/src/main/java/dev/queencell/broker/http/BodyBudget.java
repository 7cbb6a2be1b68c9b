package dev.queencell.broker.http;

import dev.queencell.service.HttpProblem;
import io.javalin.http.Context;
import java.io.IOException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * Reads request bodies under one budget of bytes, so that clients can't fill the memory together
 * either. A body's share is taken before it is read and given back when its request is done, since
 * slices of it live until then. Waiting is fair; a body of unannounced length takes the share of
 * the largest one until its length is known.
 *
 * <p>Small bodies are not counted: connections bound them, and nobody's acknowledgement has to wait
 * behind somebody's slow upload. Thread-safe.
 */
final class BodyBudget {
  /** The permits of a semaphore are ints; counted in units, they reach beyond 2 GiB. */
  private static final int UNIT_BYTES = 256;

  /** What a connection's own buffers hold anyway. */
  private static final int UNCOUNTED_BYTES_MAX = 16 * 1024;

  private static final long WAIT_MS_MAX = 30_000;

  /**
   * A refused body is read to its end up to this: a connection that is closed with unread bytes in
   * it takes the refusal with it.
   */
  private static final long DISCARDED_BYTES_MAX = 256L * 1024 * 1024;

  private final int bodyBytesMax;
  private final int units;
  private final Semaphore free;
  private final LongAdder bytesRead = new LongAdder();

  BodyBudget(long budgetBytes, int bodyBytesMax) {
    this.bodyBytesMax = bodyBytesMax;
    this.units = (int) Math.min(Integer.MAX_VALUE, Math.max(1, budgetBytes / UNIT_BYTES));
    this.free = new Semaphore(units, true);
  }

  /** A body and its share of the budget, held until {@link #close()}. */
  final class Body implements AutoCloseable {
    private final byte[] bytes;
    private int held;

    private Body(byte[] bytes, int held) {
      this.bytes = bytes;
      this.held = held;
    }

    byte[] bytes() {
      return bytes;
    }

    @Override
    public void close() {
      free.release(held);
      held = 0;
    }
  }

  /**
   * The whole body of a request.
   *
   * @throws HttpProblem 413 above the cap, 503 when the budget stays used up, 400 when the client
   *     stops in the middle
   */
  Body read(Context ctx) {
    return read(ctx, bodyBytesMax);
  }

  /** The same under a smaller cap, for documents that become trees. */
  Body read(Context ctx, int bytesMax) {
    int cap = Math.min(bytesMax, bodyBytesMax);
    long announced = ctx.req().getContentLengthLong();
    if (announced > cap) {
      throw tooLarge(ctx, cap);
    }
    int held = take(announced < 0 ? cap : announced);
    try {
      var bytes = announced < 0 ? readUnannounced(ctx, cap) : readExactly(ctx, (int) announced);
      int needed = unitsOf(bytes.length);
      free.release(held - needed);
      held = needed;
      bytesRead.add(bytes.length);
      return new Body(bytes, held);
    } catch (IOException e) {
      free.release(held);
      throw BodyScan.bad("the connection ended inside it");
    } catch (RuntimeException | Error e) {
      free.release(held);
      throw e;
    }
  }

  /**
   * Takes the share of a body that is yet to be read; false when it would have to wait for one, or
   * is over the cap. Whoever gets true calls {@link #giveBack} when the request is done.
   */
  boolean tryTake(long bytes) {
    int needed = unitsOf(bytes);
    boolean taken = bytes <= bodyBytesMax && (needed == 0 || free.tryAcquire(needed));
    if (taken) {
      bytesRead.add(bytes);
    }
    return taken;
  }

  void giveBack(long bytes) {
    int held = unitsOf(bytes);
    if (held > 0) {
      free.release(held);
    }
  }

  /** Bytes that are not taken at this moment. */
  long freeBytes() {
    return (long) free.availablePermits() * UNIT_BYTES;
  }

  long bytesRead() {
    return bytesRead.sum();
  }

  private static byte[] readExactly(Context ctx, int length) throws IOException {
    var bytes = new byte[length];
    if (length > 0 && ctx.req().getInputStream().readNBytes(bytes, 0, length) < length) {
      throw BodyScan.bad("the connection ended inside it");
    }
    return bytes;
  }

  private static byte[] readUnannounced(Context ctx, int cap) throws IOException {
    var bytes = ctx.req().getInputStream().readNBytes(cap + 1);
    if (bytes.length > cap) {
      throw tooLarge(ctx, cap);
    }
    return bytes;
  }

  private int take(long bytes) {
    int needed = unitsOf(bytes);
    if (needed == 0) {
      // Even nothing would have to queue here: the semaphore is fair.
      return 0;
    }
    boolean taken;
    try {
      taken = free.tryAcquire(needed, WAIT_MS_MAX, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      taken = false;
    }
    if (!taken) {
      throw new HttpProblem(503, "too many request bytes in flight", "overloaded", 1);
    }
    return needed;
  }

  private int unitsOf(long bytes) {
    return bytes <= UNCOUNTED_BYTES_MAX
        ? 0
        : (int) Math.min(units, (bytes + UNIT_BYTES - 1) / UNIT_BYTES);
  }

  private static HttpProblem tooLarge(Context ctx, int cap) {
    try {
      var in = ctx.req().getInputStream();
      long discarded = 0;
      for (long step = 1; step > 0 && discarded < DISCARDED_BYTES_MAX; discarded += step) {
        step = in.skip(DISCARDED_BYTES_MAX - discarded);
      }
    } catch (IOException e) {
      // Nobody is left to be told; the answer fails the same way.
      return new HttpProblem(413, "body is larger than " + cap + " bytes", null);
    }
    return new HttpProblem(413, "body is larger than " + cap + " bytes", "payload_too_large");
  }
}
