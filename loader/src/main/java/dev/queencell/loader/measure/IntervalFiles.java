package dev.queencell.loader.measure;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;

/**
 * Writes, per report interval, a row of {@code RUN-ID-interval.csv} and the interval's histograms
 * in {@code RUN-ID.hlog} (HdrHistogram's log format, one tag per series, µs). A disk that can't
 * take them costs the run nothing but these files: see {@link #problem}. Belongs to one thread.
 */
public final class IntervalFiles implements AutoCloseable {
  private static final String HEADER =
      "seconds,offered,shed,accepted,pushFailed,delivered,repeated,acked,errors,inFlight,"
          + "pushP50Ms,pushP99Ms,endToEndP50Ms,endToEndP99Ms,ackP99Ms,latenessP99Ms,loaderCores,gcMs";

  private final BufferedWriter csv;
  private final PrintStream hlogStream;
  private final HistogramLogWriter hlog;
  private final Counters counters;
  private final Latencies latencies;
  private final long runStartNanos;
  private final Map<Counter, Long> last = new EnumMap<>(Counter.class);
  private long lastErrors;
  private Usage lastUsage = Usage.now();
  private String problem = "";

  /**
   * One interval's numbers for the report line.
   *
   * @param perSecond rates of the interval, by counter
   */
  public record Row(
      double seconds,
      Map<Counter, Double> perSecond,
      long errors,
      int inFlight,
      double pushP99Ms,
      double endToEndP99Ms,
      double latenessP99Ms,
      double loaderCores) {}

  /** Opens both files. */
  public IntervalFiles(
      Path directory,
      String runId,
      Counters counters,
      Latencies latencies,
      long runStartNanos,
      long runStartEpochMs)
      throws IOException {
    this.counters = counters;
    this.latencies = latencies;
    this.runStartNanos = runStartNanos;
    csv = Files.newBufferedWriter(directory.resolve(runId + "-interval.csv"));
    csv.write(HEADER + "\n");
    hlogStream =
        new PrintStream(
            Files.newOutputStream(directory.resolve(runId + ".hlog")),
            false,
            StandardCharsets.UTF_8);
    hlog = new HistogramLogWriter(hlogStream);
    hlog.outputLogFormatVersion();
    hlog.outputStartTime(runStartEpochMs);
    hlog.setBaseTime(runStartEpochMs);
    hlog.outputLegend();
    for (var counter : Counter.values()) {
      last.put(counter, 0L);
    }
  }

  /** Ends an interval and starts the next. */
  public Row next(int inFlight) {
    var usage = Usage.now();
    double elapsed = (usage.nanoTime() - lastUsage.nanoTime()) / 1e9;
    double seconds = (usage.nanoTime() - runStartNanos) / 1e9;
    var delta = new EnumMap<Counter, Long>(Counter.class);
    var perSecond = new EnumMap<Counter, Double>(Counter.class);
    for (var counter : Counter.values()) {
      long total = counters.total(counter);
      delta.put(counter, total - last.put(counter, total));
      perSecond.put(counter, elapsed <= 0 ? 0 : delta.get(counter) / elapsed);
    }
    long errors = counters.errorCount() - lastErrors;
    lastErrors += errors;
    var histograms = new EnumMap<Series, Histogram>(Series.class);
    for (var series : Series.values()) {
      var histogram = latencies.takeInterval(series);
      histogram.setTag(series.tag());
      hlog.outputIntervalHistogram(histogram);
      histograms.put(series, histogram);
    }
    var row =
        new Row(
            seconds,
            perSecond,
            errors,
            inFlight,
            ms(histograms.get(Series.PUSH), 99),
            ms(histograms.get(Series.END_TO_END), 99),
            ms(histograms.get(Series.LATENESS), 99),
            usage.coresSince(lastUsage));
    write(line(row, delta, histograms, usage));
    lastUsage = usage;
    return row;
  }

  private void write(String line) {
    try {
      csv.write(line);
      csv.flush();
    } catch (IOException e) {
      problem = Reason.of(e);
    }
    if (hlogStream.checkError() && problem.isEmpty()) {
      problem = "the histogram log can't be written";
    }
  }

  /** Why the files are incomplete; empty when they are not. */
  public String problem() {
    return problem;
  }

  private String line(
      Row row, Map<Counter, Long> delta, Map<Series, Histogram> histograms, Usage usage) {
    return String.format(
        Locale.ROOT,
        "%.3f,%d,%d,%d,%d,%d,%d,%d,%d,%d,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%d%n",
        row.seconds(),
        delta.get(Counter.OFFERED),
        delta.get(Counter.SHED),
        delta.get(Counter.ACCEPTED),
        delta.get(Counter.PUSH_FAILED),
        delta.get(Counter.DELIVERED),
        delta.get(Counter.REPEATED),
        delta.get(Counter.ACKED),
        row.errors(),
        row.inFlight(),
        ms(histograms.get(Series.PUSH), 50),
        row.pushP99Ms(),
        ms(histograms.get(Series.END_TO_END), 50),
        row.endToEndP99Ms(),
        ms(histograms.get(Series.ACK), 99),
        row.latenessP99Ms(),
        row.loaderCores(),
        usage.gcMs() - lastUsage.gcMs());
  }

  private static double ms(Histogram histogram, double percentile) {
    return histogram.getTotalCount() == 0 ? 0 : histogram.getValueAtPercentile(percentile) / 1000.0;
  }

  @Override
  public void close() {
    try {
      csv.close();
    } catch (IOException e) {
      problem = Reason.of(e);
    }
    hlogStream.close();
  }
}
