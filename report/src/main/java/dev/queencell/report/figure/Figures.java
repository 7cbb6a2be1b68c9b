package dev.queencell.report.figure;

import dev.queencell.report.read.Measured;
import dev.queencell.report.read.MeasuredPoint;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** All figures of a report, in the order in which they are read. */
public final class Figures {
  /** More points than this are told by table, ladder and comparison only. */
  public static final int POINTS_OVER_TIME_MAX = 12;

  private Figures() {}

  /** The groups that have anything to show. */
  public static List<Group> of(
      Measured measured, List<Ladder> ladders, List<Comparison> comparisons) {
    var points = measured.points();
    var groups = new ArrayList<Group>();
    add(
        groups,
        "ladder",
        "By rate",
        "Where delivered leaves the dashed line of what was offered, the cell no longer follows.",
        ladders.isEmpty() ? List.of() : List.of(Ladder.figure(ladders)));
    add(
        groups,
        "comparison",
        comparisons.stream().allMatch(Comparison::isOfProxy)
            ? "What the proxy costs"
            : "Differences",
        "A bar for each round of two points, one after the other; the dashed line is their median."
            + " Differences that change their sign from round to round are noise.",
        figures(comparisons));
    add(
        groups,
        "percentiles",
        "Latency by percentile",
        "Over the steady window. Each step to the right takes nine tenths of what was left.",
        List.of(Percentiles.of(points)));
    addOverTime(groups, points);
    return groups;
  }

  private static List<Figure> figures(List<Comparison> comparisons) {
    var figures = new ArrayList<Figure>();
    for (int i = 0; i < comparisons.size(); i++) {
      figures.add(comparisons.get(i).figure(i + 1));
    }
    return figures;
  }

  private static void addOverTime(List<Group> groups, List<MeasuredPoint> points) {
    var shown = points.size() <= POINTS_OVER_TIME_MAX ? points : List.<MeasuredPoint>of();
    var each = new ArrayList<TimeFigures>();
    for (int i = 0; i < shown.size(); i++) {
      each.add(new TimeFigures(shown.get(i), i + 1));
    }
    over(
        groups,
        each,
        "throughput",
        "Throughput",
        "Messages per second, as the loader counted them.",
        TimeFigures::throughput);
    over(
        groups,
        each,
        "lag",
        "Lag",
        "A line that keeps rising is a cell that does not follow.",
        TimeFigures::lag);
    over(
        groups,
        each,
        "latency",
        "Latency over time",
        "From the instant at which a message was due to its first delivery.",
        TimeFigures::latency);
    over(
        groups,
        each,
        "cpu",
        "CPU",
        "Stacked by process against the cap. Below: of the cap's periods, the part that hit it.",
        TimeFigures::cpu);
    over(
        groups,
        each,
        "commits",
        "Commits per message",
        "The cell shares commits between requests, so this falls as the rate rises.",
        TimeFigures::commits);
    over(
        groups,
        each,
        "wal",
        "Write-ahead log",
        "What a commit waits for is the sync of the log.",
        TimeFigures::log);
    over(
        groups,
        each,
        "waits",
        "Wait events",
        "Backends that were seen at work, by what they waited for; CPU/running is nothing.",
        TimeFigures::waits);
    over(
        groups,
        each,
        "memory",
        "Memory",
        "Stacked by process, with the page cache that the cap is charged for.",
        TimeFigures::memory);
  }

  private static void over(
      List<Group> groups,
      List<TimeFigures> each,
      String id,
      String title,
      String text,
      Function<TimeFigures, Figure> figure) {
    add(groups, id, title, text, each.stream().map(figure).toList());
  }

  private static void add(
      List<Group> groups, String id, String title, String text, List<Figure> figures) {
    var drawn = figures.stream().filter(figure -> !figure.isEmpty()).toList();
    if (!drawn.isEmpty()) {
      groups.add(new Group(id, title, text, drawn));
    }
  }
}
