package dev.queencell.broker.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import dev.queencell.broker.engine.PopResult;
import dev.queencell.broker.engine.PushItem;
import dev.queencell.broker.store.Slice;
import dev.queencell.testsupport.Await;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LongPollTest {
  private static final PushItem ITEM =
      new PushItem("q", "p", Slice.utf8("t"), null, Slice.utf8("\"" + "x".repeat(1 << 20) + "\""));

  private final FixtureEngine engine = new FixtureEngine();
  private final ApiFixture api = new ApiFixture(engine, false);

  @AfterEach
  void close() {
    api.close();
  }

  @Test
  void aParkedPopIsCancelledWithinASecondOfItsClientsEnd() throws Exception {
    var client = poll(30_000);
    var parked = parked();
    client.close();
    parked.gone().get(1, SECONDS);
  }

  @Test
  void aParkedPopIsCancelledWithinASecondOfItsClientsReset() throws Exception {
    var client = poll(30_000);
    var parked = parked();
    client.setSoLinger(true, 0);
    client.close();
    parked.gone().get(1, SECONDS);
  }

  @Test
  void aPopThatIsServedLateIsAnsweredOnTheSameConnection() throws Exception {
    try (var client = poll(30_000)) {
      var parked = parked();
      // Longer than the handler waits before it watches its client.
      Await.until("the pop is watched", () -> watchedForAWhile(parked));
      FixtureEngine.serve(parked, new PushItem("q", "p", null, null, Slice.utf8("7")));
      var in = reader(client);
      assertEquals("HTTP/1.1 200 OK", in.readLine());
      assertFalse(parked.gone().isDone());
    }
  }

  @Test
  void aPopWhoseEngineStaysSilentIsGivenUpAtItsTimeout() throws Exception {
    try (var client = poll(1500)) {
      var parked = parked();
      assertEquals(1475, parked.request().waitMs());
      assertEquals("HTTP/1.1 204 No Content", reader(client).readLine());
      parked.gone().get(1, SECONDS);
    }
  }

  @Test
  void whatWasTakenForAPopIsDeliveredThoughItsTimeIsOver() throws Exception {
    try (var client = poll(1500)) {
      var parked = parked();
      parked.taken().set(true);
      parked.late().get(10, SECONDS);
      FixtureEngine.serve(parked, new PushItem("q", "p", null, null, Slice.utf8("7")));
      assertEquals("HTTP/1.1 200 OK", reader(client).readLine());
      assertFalse(parked.gone().isDone());
    }
  }

  @Test
  void theEngineIsAskedToEndAWaitBeforeTheClientLosesPatience() {
    assertEquals(29_975, PopRoutes.engineWaitMs(30_000));
    assertEquals(90, PopRoutes.engineWaitMs(100));
    assertEquals(0, PopRoutes.engineWaitMs(0));
    assertEquals(29_990, PopRoutes.deadlineMs(30_000));
    assertEquals(1000, PopRoutes.deadlineMs(100));
  }

  @Test
  void anEmptyResultIsAnsweredWithNothingAndCancelsNothing() throws Exception {
    try (var client = poll(30_000)) {
      var parked = parked();
      parked.result().complete(PopResult.EMPTY);
      assertEquals("HTTP/1.1 204 No Content", reader(client).readLine());
      assertFalse(parked.gone().isDone());
    }
  }

  @Test
  void messagesThatCouldNotBeWrittenAreGivenBack() throws Exception {
    // Not yet watched when it goes, and larger than the socket's buffers: the write fails.
    var client = poll(30_000);
    var parked = parked();
    client.setSoLinger(true, 0);
    client.close();
    FixtureEngine.serve(parked, ITEM);
    parked.gone().get(5, SECONDS);
  }

  private FixtureEngine.Parked parked() throws InterruptedException {
    var parked = engine.pops.poll(10, SECONDS);
    assertNotNull(parked, "no pop reached the engine");
    return parked;
  }

  private static boolean watchedForAWhile(FixtureEngine.Parked parked) {
    return parked.result().getNumberOfDependents() > 0;
  }

  private Socket poll(int timeoutMs) throws IOException {
    var client = new Socket(InetAddress.getLoopbackAddress(), api.port());
    client.setSoTimeout(10_000);
    var request =
        "GET /api/v1/pop/queue/q?wait=true&timeout=%d HTTP/1.1\r\nHost: localhost\r\n\r\n"
            .formatted(timeoutMs);
    client.getOutputStream().write(request.getBytes(ISO_8859_1));
    return client;
  }

  private static BufferedReader reader(Socket client) throws IOException {
    return new BufferedReader(new InputStreamReader(client.getInputStream(), ISO_8859_1));
  }
}
