package dev.queencell.cell.sample;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes the services' own metrics: every series of the Prometheus text format whose value changed
 * since the last scrape, as {@code RUN-ID.metrics.csv}. Histogram buckets are left out; they would
 * be most of the file.
 */
final class MetricsProbe implements Sampling.Probe {
  private static final Duration TIMEOUT = Duration.ofSeconds(2);
  private static final int ANSWER_BYTES_MAX = 4 * 1024 * 1024;
  private static final int SERIES_MAX = 5_000;
  private static final List<String> HEADER =
      List.of("monotonicMs", "epochMs", "source", "series", "value");

  private final Map<String, URI> sources;
  private final Map<String, String> last = new HashMap<>();
  private final CsvFile.Writer out;
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(TIMEOUT).build();

  /**
   * Opens the record.
   *
   * @param sources URL of each service's metrics, by the name of its unit
   */
  MetricsProbe(Map<String, URI> sources, Path folder, String runId) throws IOException {
    this.sources = sources;
    this.out = new CsvFile.Writer(folder.resolve(runId + ".metrics.csv"), HEADER);
  }

  @Override
  public void sample(Clock.Instant now) throws IOException, InterruptedException {
    IOException failure = null;
    for (var source : sources.entrySet()) {
      try {
        write(now, source.getKey(), scrape(source.getValue()));
      } catch (IOException e) {
        failure = new IOException("%s: %s".formatted(source.getValue(), e), e);
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  @Override
  public void close() throws IOException {
    http.close();
    out.close();
  }

  private void write(Clock.Instant now, String source, Map<String, String> series)
      throws IOException {
    for (var one : series.entrySet()) {
      var key = source + ' ' + one.getKey();
      if ((last.containsKey(key) || last.size() < SERIES_MAX)
          && !one.getValue().equals(last.put(key, one.getValue()))) {
        out.row(
            List.of(
                Long.toString(now.monotonicMs()),
                Long.toString(now.epochMs()),
                source,
                one.getKey(),
                one.getValue()));
      }
    }
  }

  private Map<String, String> scrape(URI url) throws IOException, InterruptedException {
    var request = HttpRequest.newBuilder(url).timeout(TIMEOUT).GET().build();
    var response = http.send(request, HttpResponse.BodyHandlers.ofInputStream());
    try (var body = response.body()) {
      var bytes = body.readNBytes(ANSWER_BYTES_MAX);
      if (response.statusCode() != 200) {
        throw new IOException("answered " + response.statusCode());
      }
      return parse(new String(bytes, StandardCharsets.UTF_8));
    }
  }

  /** The series of a Prometheus text exposition: name with labels → value as written. */
  static Map<String, String> parse(String text) {
    var series = new HashMap<String, String>();
    for (var line : text.lines().toList()) {
      // A label's value may hold blanks and braces: the value comes after the last closing brace.
      int labelsEnd = line.lastIndexOf('}');
      int blank = line.indexOf(' ', Math.max(labelsEnd, 0));
      if (blank > 0 && !line.startsWith("#") && !isBucket(line)) {
        series.put(line.substring(0, blank), line.substring(blank + 1).strip().split(" ", 2)[0]);
      }
    }
    return series;
  }

  private static boolean isBucket(String line) {
    int end = line.indexOf('{');
    return end > 0 && line.substring(0, end).endsWith("_bucket");
  }
}
