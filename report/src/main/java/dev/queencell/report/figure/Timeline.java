package dev.queencell.report.figure;

import dev.queencell.cell.sample.Sample;
import dev.queencell.report.figure.Series.Point;
import dev.queencell.report.read.MeasuredPoint;
import java.util.ArrayList;
import java.util.List;

/**
 * A point's samples over the seconds since its load began. Where the loader began on the sampler's
 * monotonic clock is found through the sample whose wall clock is nearest, so that a step of the
 * wall clock moves nothing.
 *
 * <p>A value that is not known, and a second without a sample, is a point whose value is NaN. More
 * samples than can be told apart on a screen are taken together: increases are added up, of states
 * the largest counts.
 */
final class Timeline {
  /** Two samples further apart than this many intervals have a second missing between them. */
  static final double TOLERATED_INTERVALS = 1.5;

  /** What came before the load is drawn from here on. */
  static final double FROM_SECONDS = -3;

  private static final int POINTS_MAX = 600;

  /** Under this part of the time sampled, an increase says nothing. */
  private static final double COVERAGE_MIN = 0.5;

  private static final double MS_PER_SECOND = 1000;

  private final MeasuredPoint point;
  private final double startMonotonicMs;

  Timeline(MeasuredPoint point) {
    this.point = point;
    this.startMonotonicMs = start(point);
  }

  private static double start(MeasuredPoint point) {
    double startEpochMs = point.startEpochMs();
    var samples = point.usage().isEmpty() ? point.database() : point.usage();
    if (samples.isEmpty()) {
      return 0;
    }
    var nearest = samples.getFirst();
    if (!Double.isFinite(startEpochMs)) {
      return nearest.monotonicMs();
    }
    for (var sample : samples) {
      if (Math.abs(sample.epochMs() - startEpochMs) < Math.abs(nearest.epochMs() - startEpochMs)) {
        nearest = sample;
      }
    }
    return nearest.monotonicMs() + startEpochMs - nearest.epochMs();
  }

  double seconds(long monotonicMs) {
    return (monotonicMs - startMonotonicMs) / MS_PER_SECOND;
  }

  /** The increase of a counter per second, times {@code scale}. */
  List<Point> rate(List<Sample> samples, String column, double scale) {
    return ratio(samples, column, null, scale * MS_PER_SECOND);
  }

  /** One counter's increase by another's, times {@code scale}; NaN where the other stood still. */
  List<Point> ratio(List<Sample> samples, String column, String by, double scale) {
    var out = new ArrayList<Point>();
    for (var span : spans(samples)) {
      double amount = 0;
      double divisor = 0;
      for (var sample : span) {
        amount += known(sample.value(column));
        divisor += by == null ? sample.spanMs() : known(sample.value(by));
      }
      add(out, span, divisor > 0 ? amount / divisor * scale : Double.NaN);
    }
    return out;
  }

  /** The largest value of a state that is read with every sample. */
  List<Point> state(List<Sample> samples, String column) {
    var out = new ArrayList<Point>();
    for (var span : spans(samples)) {
      long largest = span.stream().mapToLong(sample -> sample.value(column)).max().orElseThrow();
      add(out, span, known(largest));
    }
    return out;
  }

  /**
   * What a counter grew by between two instants, in seconds of this axis. A sample whose span
   * crosses an end gives the part of its increase that its time inside has. NaN when samples cover
   * less than half of the time.
   */
  double increase(List<Sample> samples, String column, double fromSeconds, double toSeconds) {
    double amount = 0;
    double coveredMs = 0;
    for (var sample : samples) {
      double to = seconds(sample.monotonicMs()) * MS_PER_SECOND;
      double from = to - sample.spanMs();
      double inside =
          Math.min(to, toSeconds * MS_PER_SECOND) - Math.max(from, fromSeconds * MS_PER_SECOND);
      if (sample.value(column) != Sample.UNKNOWN && inside > 0) {
        amount += sample.value(column) * inside / sample.spanMs();
        coveredMs += inside;
      }
    }
    double wantedMs = (toSeconds - fromSeconds) * MS_PER_SECOND;
    return coveredMs >= COVERAGE_MIN * wantedMs ? amount * wantedMs / coveredMs : Double.NaN;
  }

  /** Samples that are drawn as one point. */
  List<List<Sample>> spans(List<Sample> samples) {
    var shown =
        samples.stream().filter(sample -> seconds(sample.monotonicMs()) >= FROM_SECONDS).toList();
    int together = (shown.size() + POINTS_MAX - 1) / POINTS_MAX;
    var spans = new ArrayList<List<Sample>>();
    var span = new ArrayList<Sample>();
    for (var sample : shown) {
      if (!span.isEmpty() && (span.size() >= together || isGap(span.getLast(), sample))) {
        spans.add(List.copyOf(span));
        span.clear();
      }
      span.add(sample);
    }
    if (!span.isEmpty()) {
      spans.add(List.copyOf(span));
    }
    return spans;
  }

  /** Adds a point, behind a break where samples are missing before it. */
  void add(List<Point> out, List<Sample> span, double value) {
    double x = seconds(span.getLast().monotonicMs());
    double from = seconds(span.getFirst().monotonicMs());
    double widthMs = point.intervalMs() * TOLERATED_INTERVALS;
    if (!out.isEmpty() && (from - out.getLast().x()) * MS_PER_SECOND > widthMs) {
      out.add(new Point((from + out.getLast().x()) / 2, Double.NaN));
    }
    out.add(new Point(x, value));
  }

  private boolean isGap(Sample before, Sample after) {
    double apart = after.monotonicMs() - (double) before.monotonicMs();
    return apart > point.intervalMs() * TOLERATED_INTERVALS;
  }

  private static double known(long value) {
    return value == Sample.UNKNOWN ? Double.NaN : value;
  }
}
