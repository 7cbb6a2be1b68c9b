package dev.queencell.cell.soak;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A series that moves one way for good: what a leak looks like, and what a sawtooth, a step or a
 * cache that fills up does not. Pure.
 *
 * <p>Three things must hold together.
 *
 * <ul>
 *   <li>Significant: the Mann-Kendall test (H. B. Mann 1945, with the correction for ties), one
 *       sided, at {@link #Z_MIN}. It goes by ranks, so that single outliers decide nothing.
 *   <li>Material: the Theil-Sen slope (the median of all pairs' slopes) times the observed time is
 *       at least the rule's share of the median and the rule's smallest change.
 *   <li>Lasting: the lowest value of each third of the time is above the one of the third before
 *       (for a fall: the highest, below). Teeth come back to their foot, a step does not go on.
 * </ul>
 *
 * @param change how much the series moved over the observed time, by its slope
 * @param perHour the slope
 * @param z the test's standard score
 */
record Trend(double change, double perHour, double z) {
  /** Fewer values can't be significant. */
  static final int VALUES_MIN = 9;

  /** One in two thousand series without any trend passes by chance. */
  static final double Z_MIN = 3.29;

  /** What each third must add, as a part of the material change. */
  private static final double THIRDS_SHARE = 0.1;

  private static final double SECONDS_PER_HOUR = 3600;

  /** What counts for a series. */
  record Rule(boolean upwards, double shareMin, double changeMin) {}

  /** One value at an instant. */
  record At(double seconds, double value) {}

  /** The trend of a series in the order of time, if it has one. */
  static Optional<Trend> of(List<At> series, Rule rule) {
    int n = series.size();
    if (n < VALUES_MIN) {
      return Optional.empty();
    }
    double sign = rule.upwards() ? 1 : -1;
    double[] values = series.stream().mapToDouble(at -> sign * at.value()).toArray();
    double z = score(values);
    double material = Math.max(rule.changeMin(), rule.shareMin() * Math.abs(median(values)));
    double perSecond = slope(series, values);
    double change = perSecond * (series.getLast().seconds() - series.getFirst().seconds());
    if (z < Z_MIN || change < material || !lasts(values, THIRDS_SHARE * material)) {
      return Optional.empty();
    }
    return Optional.of(new Trend(sign * change, sign * perSecond * SECONDS_PER_HOUR, z));
  }

  private static double score(double[] values) {
    long s = 0;
    for (int i = 0; i < values.length; i++) {
      for (int j = i + 1; j < values.length; j++) {
        s += Double.compare(values[j], values[i]) > 0 ? 1 : values[j] < values[i] ? -1 : 0;
      }
    }
    double n = values.length;
    double variance = (n * (n - 1) * (2 * n + 5) - tied(values)) / 18;
    return s <= 0 || variance <= 0 ? 0 : (s - 1) / Math.sqrt(variance);
  }

  private static double tied(double[] values) {
    var sorted = values.clone();
    Arrays.sort(sorted);
    double sum = 0;
    for (int from = 0, to; from < sorted.length; from = to) {
      to = from + 1;
      while (to < sorted.length && sorted[to] == sorted[from]) {
        to++;
      }
      double same = to - from;
      sum += same * (same - 1) * (2 * same + 5);
    }
    return sum;
  }

  private static double slope(List<At> series, double[] values) {
    int n = values.length;
    var slopes = new double[n * (n - 1) / 2];
    int count = 0;
    for (int i = 0; i < n; i++) {
      for (int j = i + 1; j < n; j++) {
        double seconds = series.get(j).seconds() - series.get(i).seconds();
        if (seconds > 0) {
          slopes[count++] = (values[j] - values[i]) / seconds;
        }
      }
    }
    return count == 0 ? 0 : median(Arrays.copyOf(slopes, count));
  }

  private static boolean lasts(double[] values, double step) {
    int third = values.length / 3;
    double first = lowest(values, 0, third);
    double middle = lowest(values, third, values.length - third);
    double last = lowest(values, values.length - third, values.length);
    return middle - first >= step && last - middle >= step;
  }

  private static double lowest(double[] values, int from, int to) {
    return Arrays.stream(values, from, to).min().orElseThrow();
  }

  private static double median(double[] values) {
    var sorted = values.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
