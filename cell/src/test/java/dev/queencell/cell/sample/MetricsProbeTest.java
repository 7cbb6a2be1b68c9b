package dev.queencell.cell.sample;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MetricsProbeTest {
  private static final Clock.Instant NOW = new Clock.Instant(1_000, 5_000);

  @TempDir private Path folder;

  @Test
  void theTextFormatIsReadWithLabelsTimestampsAndWithoutBuckets() {
    var series =
        MetricsProbe.parse(
            """
            # HELP pushed_total messages
            # TYPE pushed_total counter
            pushed_total 17
            commits_total{lane="0",what="a } b"} 3.5e2 1700000000
            wait_seconds_bucket{le="0.1"} 4
            wait_seconds_sum 0.25
            """);
    assertEquals(
        Map.of(
            "pushed_total", "17",
            "commits_total{lane=\"0\",what=\"a } b\"}", "3.5e2",
            "wait_seconds_sum", "0.25"),
        series);
  }

  @Test
  void onlyAValueThatChangedIsWrittenAgain() throws Exception {
    var answer = new AtomicReference<>("a 1\nb 1\n");
    var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/metrics",
        exchange -> {
          var body = answer.get().getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
    var url = URI.create("http://127.0.0.1:%d/metrics".formatted(server.getAddress().getPort()));
    try (var probe = new MetricsProbe(Map.of("broker", url), folder, "r1")) {
      probe.sample(NOW);
      answer.set("a 2\nb 1\n");
      probe.sample(NOW);
    } finally {
      server.stop(0);
    }
    var rows = CsvFile.read(folder.resolve("r1.metrics.csv"));
    assertEquals(3, rows.size());
    assertEquals("a", rows.getLast().get("series"));
    assertEquals("2", rows.getLast().get("value"));
  }

  @Test
  void aServiceThatIsAwayIsNamed() throws IOException {
    var url = URI.create("http://127.0.0.1:1/metrics/prometheus");
    try (var probe = new MetricsProbe(Map.of("proxy", url), folder, "r1")) {
      var problem = assertThrows(IOException.class, () -> probe.sample(NOW));
      assertTrue(problem.getMessage().startsWith(url.toString()), problem.getMessage());
    }
  }
}
