package dev.queencell.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A socket that has something, which nobody reads yet. */
@Timeout(60)
class SelectorInterestTest {
  /** More than is read with the head. */
  private static final int BODY_BYTES = 100_000;

  /** What a selector that finds nothing new allocates in the length of a look, and much more. */
  private static final long ALLOCATED_BYTES_MAX = 256 * 1024;

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  @Test
  void itIsNotSelectedOverAndOver() throws Exception {
    var entered = new CountDownLatch(2);
    var mayRead = new CountDownLatch(1);
    try (var server =
            HttpServer.start(
                "127.0.0.1",
                0,
                2_000,
                routes ->
                    routes.post(
                        "/",
                        ctx -> {
                          entered.countDown();
                          mayRead.await();
                          HttpServer.json(ctx, 200, HttpServer.body(ctx, BODY_BYTES));
                        }));
        var early = new RawClient(server.port());
        var late = new RawClient(server.port())) {
      var head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: " + BODY_BYTES + "\r\n\r\n";
      var body = "x".repeat(BODY_BYTES);
      early.send(head + body);
      late.send(head);
      entered.await();
      late.send(body);
      long before = allocatedBySelectorsBytes();
      assertTrue(early.isQuiet() && late.isQuiet());
      long allocated = allocatedBySelectorsBytes() - before;
      System.out.printf("%,d bytes were allocated by selectors meanwhile%n", allocated);
      assertTrue(allocated < ALLOCATED_BYTES_MAX, "bytes: " + allocated);
      mayRead.countDown();
      assertEquals(body, early.body());
      assertEquals(body, late.body());
    }
  }

  private static long allocatedBySelectorsBytes() {
    return Arrays.stream(THREADS.getThreadInfo(THREADS.getAllThreadIds()))
        .filter(Objects::nonNull)
        .filter(info -> info.getThreadName().startsWith("jetty-"))
        .mapToLong(info -> THREADS.getThreadAllocatedBytes(info.getThreadId()))
        .sum();
  }
}
