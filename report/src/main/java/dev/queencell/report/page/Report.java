package dev.queencell.report.page;

import dev.queencell.report.figure.Comparison;
import dev.queencell.report.figure.Figures;
import dev.queencell.report.figure.Group;
import dev.queencell.report.read.MeasuredPoint;
import java.time.Instant;
import java.util.List;

/**
 * What a report says, before it is written one way or the other.
 *
 * @param title of the page
 * @param made when
 * @param points in the order in which they were measured
 */
public record Report(
    String title,
    Instant made,
    List<MeasuredPoint> points,
    List<Group> groups,
    List<Comparison> comparisons) {
  public Report {
    points = List.copyOf(points);
    groups = List.copyOf(groups);
    comparisons = List.copyOf(comparisons);
  }

  public static Report of(String title, Instant made, List<MeasuredPoint> points) {
    return new Report(title, made, points, Figures.of(points), Comparison.of(points));
  }

  /** The verdict in one line. */
  public String headline() {
    return Findings.of(points).headline();
  }
}
