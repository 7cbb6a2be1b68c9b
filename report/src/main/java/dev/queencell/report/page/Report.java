package dev.queencell.report.page;

import dev.queencell.report.figure.Comparison;
import dev.queencell.report.figure.Figure;
import dev.queencell.report.figure.Figures;
import dev.queencell.report.figure.Group;
import dev.queencell.report.figure.Ladder;
import dev.queencell.report.read.Measured;
import dev.queencell.report.read.MeasuredPoint;
import java.time.Instant;
import java.util.List;

/**
 * What a report says, before it is written one way or the other.
 *
 * @param title of the page
 * @param made when
 * @param points in the order in which they were measured
 * @param findings the verdict, and the reservations of each point
 */
public record Report(
    String title,
    Instant made,
    List<MeasuredPoint> points,
    Findings findings,
    List<Ladder> ladders,
    List<Group> groups,
    List<Comparison> comparisons) {
  public Report {
    points = List.copyOf(points);
    ladders = List.copyOf(ladders);
    groups = List.copyOf(groups);
    comparisons = List.copyOf(comparisons);
  }

  /** Of all that lies in some folders. */
  public static Report of(String title, Instant made, Measured measured) {
    var ladders = Ladder.of(measured);
    var comparisons = Comparison.of(measured);
    return new Report(
        title,
        made,
        measured.points(),
        Findings.of(measured),
        ladders,
        Figures.of(measured, ladders, comparisons),
        comparisons);
  }

  /** Whether some figure has the seconds of a run from left to right. */
  boolean hasFiguresOverTime() {
    return groups.stream()
        .flatMap(group -> group.figures().stream())
        .anyMatch(figure -> figure.axis() == Figure.Axis.SECONDS);
  }

  /** The verdict in one line. */
  public String headline() {
    return findings.headline();
  }
}
