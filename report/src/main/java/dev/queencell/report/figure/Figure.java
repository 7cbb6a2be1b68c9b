package dev.queencell.report.figure;

import java.util.List;
import java.util.stream.Stream;

/**
 * One drawing: panes above each other over one axis.
 *
 * @param id unique in a report; letters, digits, dots and dashes
 * @param title what it shows
 * @param subject the point that it is about; empty when it is about several
 * @param steadyFrom start of the steady window on the axis; NaN when there is none
 */
public record Figure(
    String id,
    String title,
    String subject,
    Axis axis,
    double steadyFrom,
    double steadyTo,
    List<Pane> panes) {
  /** What runs from left to right. */
  public enum Axis {
    /** Seconds since the load began. */
    SECONDS,
    /** Percentiles, by how many nines they have. */
    PERCENTILE,
    /** Messages per second that were offered. */
    OFFERED,
    /** Rounds of a comparison, from 1. */
    ROUND
  }

  /** What a value is, and so how it is written. */
  public enum Unit {
    PER_SECOND,
    BYTES_PER_SECOND,
    MS,
    MICROS,
    CPUS,
    SHARE,
    BYTES,
    COUNT,
    RATIO
  }

  /**
   * One plot.
   *
   * @param name stands above its scale
   * @param logarithmic for what spans orders of magnitude
   * @param height relative to the other panes
   */
  public record Pane(String name, Unit unit, boolean logarithmic, int height, List<Series> series) {
    public Pane {
      series = List.copyOf(series);
    }

    static Pane of(String name, Unit unit, int height, Series... series) {
      return new Pane(name, unit, false, height, drawn(series));
    }

    static Pane logarithmic(String name, Unit unit, int height, List<Series> series) {
      return new Pane(name, unit, true, height, drawn(series.toArray(Series[]::new)));
    }

    private static List<Series> drawn(Series... series) {
      return Stream.of(series).filter(one -> !one.isEmpty()).toList();
    }

    /** Whether something else than a bound is to be drawn. */
    boolean isEmpty() {
      return series.stream().allMatch(one -> one.mark() == Series.Mark.LIMIT);
    }
  }

  public Figure {
    panes = List.copyOf(panes);
  }

  /** Whether no pane has anything to draw. */
  public boolean isEmpty() {
    return panes.stream().allMatch(Pane::isEmpty);
  }

  /** Without the panes that have nothing to draw. */
  Figure pruned() {
    var kept = panes.stream().filter(pane -> !pane.isEmpty()).toList();
    return new Figure(id, title, subject, axis, steadyFrom, steadyTo, kept);
  }
}
