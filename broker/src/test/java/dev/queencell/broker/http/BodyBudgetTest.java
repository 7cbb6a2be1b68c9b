package dev.queencell.broker.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.queencell.testsupport.Await;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class BodyBudgetTest {
  private static final int BUDGET_BYTES = 64 * 1024;

  @Test
  void aBodyWaitsUntilThereIsRoomForIt() throws Exception {
    try (var api =
            new ApiFixture(new FixtureEngine(), false, 2 * BUDGET_BYTES, BUDGET_BYTES, null);
        var slow = connect(api);
        var waiting = connect(api)) {
      var body =
          "{\"items\":[{\"queue\":\"q\",\"payload\":\"" + "x".repeat(BUDGET_BYTES - 1000) + "\"}]}";
      send(slow, head(body.length()) + body.substring(0, 1000));
      Await.until("the slow body holds its share", () -> freeBytes(api) < 2000);
      send(waiting, head(body.length()) + body);
      // A small body never waits behind large ones.
      assertEquals(201, api.post("/api/v1/push", "{\"items\":[]}").status());
      assertEquals(0, waiting.getInputStream().available());
      send(slow, body.substring(1000));
      assertEquals("HTTP/1.1 201 Created", firstLine(slow));
      assertEquals("HTTP/1.1 201 Created", firstLine(waiting));
      Await.until("everything is given back", () -> freeBytes(api) == BUDGET_BYTES);
    }
  }

  @Test
  void aClientThatStopsInTheMiddleGivesItsShareBack() throws Exception {
    try (var api =
        new ApiFixture(new FixtureEngine(), false, 2 * BUDGET_BYTES, BUDGET_BYTES, null)) {
      var client = connect(api);
      send(client, head(50_000) + "{\"items\":[");
      Await.until("the body holds its share", () -> freeBytes(api) < BUDGET_BYTES);
      client.close();
      Await.until("the share is given back", () -> freeBytes(api) == BUDGET_BYTES);
    }
  }

  @Test
  void aRefusedBodyGivesItsShareBack() {
    try (var api =
        new ApiFixture(new FixtureEngine(), false, 2 * BUDGET_BYTES, BUDGET_BYTES, null)) {
      for (int i = 0; i < 20; i++) {
        assertEquals(400, api.post("/api/v1/push", "x".repeat(40_000)).status());
      }
      Await.until("everything is given back", () -> freeBytes(api) == BUDGET_BYTES);
    }
  }

  private static long freeBytes(ApiFixture api) {
    var page = api.get("/metrics/prometheus").body();
    var name = "queencell_http_body_budget_free_bytes ";
    int at = page.indexOf("\n" + name) + 1 + name.length();
    return (long) Double.parseDouble(page.substring(at, page.indexOf('\n', at)));
  }

  private static Socket connect(ApiFixture api) throws IOException {
    var client = new Socket(InetAddress.getLoopbackAddress(), api.port());
    client.setSoTimeout(20_000);
    return client;
  }

  private static String head(int length) {
    return "POST /api/v1/push HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"
        .formatted(length);
  }

  private static void send(Socket client, String text) throws IOException {
    client.getOutputStream().write(text.getBytes(ISO_8859_1));
  }

  private static String firstLine(Socket client) throws IOException {
    return new BufferedReader(new InputStreamReader(client.getInputStream(), ISO_8859_1))
        .readLine();
  }
}
