package dev.queencell.loader.record;

import dev.queencell.service.Json;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import org.HdrHistogram.Histogram;
import tools.jackson.databind.node.ObjectNode;

/** Histograms in a record: as percentiles to read, and whole, so that records can be merged. */
final class Histograms {
  private Histograms() {}

  /** Percentiles in ms of a histogram in µs; null where it is empty. */
  static ObjectNode percentiles(Histogram micros) {
    var node = Json.object();
    boolean empty = micros.getTotalCount() == 0;
    node.put("mean", empty ? null : micros.getMean() / 1000.0);
    node.put("p50", empty ? null : micros.getValueAtPercentile(50) / 1000.0);
    node.put("p90", empty ? null : micros.getValueAtPercentile(90) / 1000.0);
    node.put("p95", empty ? null : micros.getValueAtPercentile(95) / 1000.0);
    node.put("p99", empty ? null : micros.getValueAtPercentile(99) / 1000.0);
    node.put("p999", empty ? null : micros.getValueAtPercentile(99.9) / 1000.0);
    node.put("max", empty ? null : micros.getMaxValue() / 1000.0);
    return node.put("count", micros.getTotalCount());
  }

  /** HdrHistogram's compressed form, as base64. */
  static String encode(Histogram histogram) {
    var buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
    int length = histogram.encodeIntoCompressedByteBuffer(buffer, Deflater.BEST_COMPRESSION);
    return Base64.getEncoder().encodeToString(java.util.Arrays.copyOf(buffer.array(), length));
  }

  /**
   * The histogram back.
   *
   * @throws IllegalArgumentException when the text holds none
   */
  static Histogram decode(String text) {
    try {
      return Histogram.decodeFromCompressedByteBuffer(
          ByteBuffer.wrap(Base64.getDecoder().decode(text)), 0);
    } catch (DataFormatException e) {
      throw new IllegalArgumentException("no compressed histogram", e);
    }
  }
}
