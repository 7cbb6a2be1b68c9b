package dev.queencell.report.figure;

import dev.queencell.report.figure.Series.Mark;
import dev.queencell.report.figure.Series.Point;
import dev.queencell.report.read.Latencies;
import dev.queencell.report.read.MeasuredPoint;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * Latency by percentile over the steady window. The axis counts nines: 1 is 90%, 2 is 99%, 3 is
 * 99.9%; a curve ends where less than one message would be left above it.
 */
final class Percentiles {
  private static final double STEP_NINES = 0.05;
  private static final double NINES_MAX = 5;
  private static final double MICROS_PER_MS = 1000;

  private Percentiles() {}

  /** Of one point its pushes and acknowledgements too; of several the whole way of each. */
  static Figure of(List<MeasuredPoint> points) {
    var series = new ArrayList<Series>();
    if (points.size() == 1) {
      var steady = points.getFirst().latencies().steady();
      series.add(curve("end to end", "delivered", steady.get(Latencies.END_TO_END)));
      series.add(curve("push", "pushed", steady.get(Latencies.PUSH)));
      series.add(curve("acknowledge", "state", steady.get(Latencies.ACK)));
    } else {
      for (int i = 0; i < points.size(); i++) {
        var steady = points.get(i).latencies().steady();
        series.add(curve(points.get(i).label(), "run" + i, steady.get(Latencies.END_TO_END)));
      }
    }
    var pane = Figure.Pane.logarithmic("latency", Figure.Unit.MS, 1, series);
    return new Figure(
            "percentiles",
            "Latency by percentile",
            points.size() == 1 ? points.getFirst().label() : "",
            Figure.Axis.PERCENTILE,
            Double.NaN,
            Double.NaN,
            List.of(pane))
        .pruned();
  }

  /** The points of a curve; none for a histogram that is missing or holds nothing. */
  static Series curve(String name, String colour, Histogram histogram) {
    var points = new ArrayList<Point>();
    if (histogram != null && histogram.getTotalCount() > 0) {
      double end = Math.min(NINES_MAX, Math.log10((double) histogram.getTotalCount()));
      for (int i = 0; i * STEP_NINES <= end; i++) {
        double nines = i * STEP_NINES;
        double percentile = 100 * (1 - Math.pow(10, -nines));
        double ms = histogram.getValueAtPercentile(percentile) / MICROS_PER_MS;
        points.add(new Point(nines, ms > 0 ? ms : Double.NaN));
      }
    }
    return new Series(name, colour, Mark.LINE, points);
  }
}
