package dev.queencell.report.read;

import java.util.List;
import java.util.Optional;

/**
 * All that lies in the folders of a report.
 *
 * @param points in the order in which they were measured
 * @param series what the scripts that measured several of them left
 * @param problems files of series that could not be read, in words
 */
public record Measured(List<MeasuredPoint> points, List<SeriesFile> series, List<String> problems) {
  public Measured {
    points = List.copyOf(points);
    series = List.copyOf(series);
    problems = List.copyOf(problems);
  }

  /** Points without a word of the scripts that measured them. */
  public static Measured of(List<MeasuredPoint> points) {
    return new Measured(points, List.of(), List.of());
  }

  /** The points of one folder. */
  public List<MeasuredPoint> in(String folder) {
    return points.stream().filter(point -> point.folder().equals(folder)).toList();
  }

  /** The folders, each once, in the order of their points. */
  public List<String> folders() {
    return points.stream().map(MeasuredPoint::folder).distinct().toList();
  }

  /** What was left of this kind in a folder. */
  public Optional<SeriesFile> series(SeriesFile.Kind kind, String folder) {
    return series.stream()
        .filter(one -> one.kind() == kind && one.folder().equals(folder))
        .findFirst();
  }
}
