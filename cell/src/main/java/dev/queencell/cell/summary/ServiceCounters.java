package dev.queencell.cell.summary;

import dev.queencell.cell.sample.CsvFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The counters that broker and proxy keep themselves, as the sampler scraped them once a second: a
 * line whenever a value had changed since the scrape before.
 */
record ServiceCounters(Map<String, Service> services) {
  /** Requests that the proxy answered, of every class and outcome. */
  static final String PROXY_REQUESTS = "queencell_proxy_requests_seconds_count";

  /** What a service's JVM has allocated since it started. */
  static final String ALLOCATED_BYTES = "queencell_jvm_allocated_bytes_total";

  static final ServiceCounters NONE = new ServiceCounters(Map.of());

  /** How far the scrapes may fall short of an end of the window. */
  private static final long SILENCE_MAX_MS = 2_500;

  private static final double MS_PER_SECOND = 1000.0;

  /**
   * What was scraped from one service.
   *
   * @param scrapesMs when something of it had changed, by the sampler's clock; something always has
   * @param series each one's values by the instants at which they were new
   */
  record Service(NavigableSet<Long> scrapesMs, Map<String, NavigableMap<Long, Double>> series) {
    private Service() {
      this(new TreeSet<>(), new HashMap<>());
    }

    /**
     * The increases that lie in the window. A series that was not there at the first scrape began
     * at 0; one that falls was restarted and began at 0 again.
     */
    private double growth(NavigableMap<Long, Double> values, Window window) {
      double grown = 0;
      long firstMs = scrapesMs.first();
      double before = values.getOrDefault(firstMs, 0.0);
      for (var entry : values.tailMap(firstMs, false).entrySet()) {
        double value = entry.getValue();
        long fromMs = scrapesMs.lower(entry.getKey());
        double insideMs =
            Math.min(entry.getKey(), window.endMs()) - (double) Math.max(fromMs, window.startMs());
        if (insideMs > 0) {
          double increase = value >= before ? value - before : value;
          grown += increase * insideMs / (entry.getKey() - fromMs);
        }
        before = value;
      }
      return grown;
    }
  }

  /** Reads {@code RUN-ID.metrics.csv}; there are no counters when there is no such file. */
  static ServiceCounters read(Path file) throws IOException {
    return of(CsvFile.read(file));
  }

  static ServiceCounters of(List<Map<String, String>> rows) {
    var services = new HashMap<String, Service>();
    for (var row : rows) {
      var service = services.computeIfAbsent(row.get("source"), source -> new Service());
      long atMs = Long.parseLong(row.get("monotonicMs"));
      service.scrapesMs.add(atMs);
      service
          .series
          .computeIfAbsent(row.get("series"), series -> new TreeMap<>())
          .put(atMs, number(row.get("value")));
    }
    return new ServiceCounters(services);
  }

  private static double number(String text) {
    try {
      return Double.parseDouble(text);
    } catch (NumberFormatException e) {
      return Double.NaN;
    }
  }

  /**
   * How fast a counter grew in the window, all of its labels together. NaN when the service was not
   * scraped through the window or has no such counter.
   */
  double perSecond(Window window, String source, String name) {
    var service = services.getOrDefault(source, new Service());
    var series =
        service.series.entrySet().stream()
            .filter(one -> one.getKey().equals(name) || one.getKey().startsWith(name + "{"))
            .map(Map.Entry::getValue)
            .toList();
    if (series.isEmpty()) {
      return Double.NaN;
    }
    long firstMs = Math.max(service.scrapesMs.first(), window.startMs());
    long lastMs = Math.min(service.scrapesMs.last(), window.endMs());
    boolean scraped =
        firstMs <= window.startMs() + SILENCE_MAX_MS && lastMs >= window.endMs() - SILENCE_MAX_MS;
    if (!scraped || lastMs <= firstMs) {
      return Double.NaN;
    }
    double grown = series.stream().mapToDouble(values -> service.growth(values, window)).sum();
    return grown / (lastMs - firstMs) * MS_PER_SECOND;
  }
}
