package dev.queencell.report.read;

import java.io.FileNotFoundException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;
import tools.jackson.databind.JsonNode;

/**
 * A run's histograms: those of each interval, from the {@code .hlog}, and those of the steady
 * window, from the record. All hold microseconds.
 *
 * @param startEpochMs when the load began; NaN when no log tells
 * @param intervals of one tag each, in the order they were taken
 * @param steady by tag
 */
public record Latencies(double startEpochMs, List<Slice> intervals, Map<String, Histogram> steady) {
  /** From the scheduled instant to the first delivery. */
  public static final String END_TO_END = "end-to-end";

  /** From the scheduled instant to the answer. */
  public static final String PUSH = "push";

  /** From sending an acknowledgement to its answer. */
  public static final String ACK = "ack";

  static final Latencies NONE = new Latencies(Double.NaN, List.of(), Map.of());

  /**
   * What one interval held.
   *
   * @param endSeconds since the load began
   */
  public record Slice(String tag, double startSeconds, double endSeconds, Histogram histogram) {}

  /** The intervals of one tag. */
  public List<Slice> of(String tag) {
    return intervals.stream().filter(slice -> slice.tag().equals(tag)).toList();
  }

  Latencies withSteady(JsonNode histograms) throws DataFormatException {
    var byTag = new LinkedHashMap<String, Histogram>();
    for (var one : histograms.properties()) {
      var bytes = ByteBuffer.wrap(Base64.getDecoder().decode(one.getValue().asString()));
      byTag.put(one.getKey(), Histogram.decodeFromCompressedByteBuffer(bytes, 0));
    }
    return new Latencies(startEpochMs, intervals, byTag);
  }

  static Latencies readLog(Path file) throws FileNotFoundException {
    var slices = new ArrayList<Slice>();
    try (var log = new HistogramLogReader(file.toFile())) {
      while (log.hasNext()) {
        // Null for a line that a crash cut short.
        if (log.nextIntervalHistogram() instanceof Histogram one && one.getTag() != null) {
          double base = log.getStartTimeSec() * 1000;
          slices.add(
              new Slice(
                  one.getTag(),
                  (one.getStartTimeStamp() - base) / 1000,
                  (one.getEndTimeStamp() - base) / 1000,
                  one));
        }
      }
      double start = log.getStartTimeSec() * 1000;
      return new Latencies(start > 0 ? start : Double.NaN, slices, Map.of());
    }
  }
}
