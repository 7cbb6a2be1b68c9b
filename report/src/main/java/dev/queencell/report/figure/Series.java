package dev.queencell.report.figure;

import java.util.ArrayList;
import java.util.List;

/**
 * One line, area or row of bars.
 *
 * @param name what it shows, for legend and hover
 * @param colour a role of the palette, such as {@code pg} or {@code p99}
 * @param points where a value is NaN the line is broken
 */
public record Series(String name, String colour, Mark mark, List<Point> points) {
  /** How a series is drawn. */
  public enum Mark {
    LINE,
    /** Stacked on the areas before it. */
    AREA,
    /** Stacked on the bars before it. */
    BAR,
    /** A line with a mark on every point, for few of them. */
    DOTS,
    /** Every point marked, none joined. */
    SCATTER,
    /** A bound, dashed, with its name on it. */
    LIMIT
  }

  /** Where {@code y} is NaN, nothing is known. */
  public record Point(double x, double y) {
    public boolean isKnown() {
      return Double.isFinite(y);
    }
  }

  public Series {
    points = List.copyOf(points);
  }

  /** Whether there is anything to draw. */
  public boolean isEmpty() {
    return points.stream().noneMatch(Point::isKnown);
  }

  /** The largest value; NaN when none is known. */
  public double max() {
    return points.stream().filter(Point::isKnown).mapToDouble(Point::y).max().orElse(Double.NaN);
  }

  /** A bound over the whole width. */
  static Series limit(String name, double value) {
    var points = new ArrayList<Point>();
    if (Double.isFinite(value)) {
      points.add(new Point(0, value));
    }
    return new Series(name, "limit", Mark.LIMIT, points);
  }
}
