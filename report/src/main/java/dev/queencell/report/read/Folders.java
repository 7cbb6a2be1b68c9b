package dev.queencell.report.read;

import dev.queencell.cell.output.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import tools.jackson.core.JacksonException;

/**
 * Finds the points in folders. A point is a run id with at least one of the files that only a point
 * leaves; a {@code .json} alone counts when it is a loader's record.
 */
public final class Folders {
  private static final List<String> OF_A_POINT =
      List.of(".summary.json", ".cpu.csv", ".pg.csv", ".shape.txt", "-interval.csv", ".hlog");
  private static final String RECORD = ".json";

  private Folders() {}

  /** Where a run lies. */
  private record Place(Path folder, String runId) {}

  /**
   * Reads all points of the folders in the order of their starts (of their rates where no start is
   * known), and what the scripts that measured them left.
   *
   * @throws IOException naming a folder that is none, or in which there is no point
   */
  public static Measured read(List<Path> folders) throws IOException {
    var places = new ArrayList<Place>();
    var series = new ArrayList<SeriesFile>();
    var problems = new ArrayList<String>();
    for (var folder :
        folders.stream().map(Path::toAbsolutePath).map(Path::normalize).distinct().toList()) {
      if (!Files.isDirectory(folder)) {
        throw new IOException(folder + " is no folder");
      }
      var runs = runs(folder);
      if (runs.isEmpty()) {
        throw new IOException(
            "no measured point in %s; `runpt.sh %s RUN-ID -- …` makes one"
                .formatted(folder, folder));
      }
      runs.forEach(runId -> places.add(new Place(folder, runId)));
      for (var kind : SeriesFile.Kind.values()) {
        series(folder, kind, problems).ifPresent(series::add);
      }
    }
    var uses = new HashMap<String, Integer>();
    places.forEach(place -> uses.merge(place.runId(), 1, Integer::sum));
    var points =
        places.stream()
            .map(place -> PointReader.read(place.folder(), place.runId(), label(place, uses)))
            .sorted(
                Comparator.comparingDouble(MeasuredPoint::startEpochMs)
                    .thenComparingDouble(point -> point.number("offeredPerSec")))
            .toList();
    return new Measured(points, series, problems);
  }

  private static Optional<SeriesFile> series(
      Path folder, SeriesFile.Kind kind, List<String> problems) {
    var file = folder.resolve(kind.file());
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    try {
      var document = Json.mapper().readTree(Files.readString(file));
      var series = SeriesFile.of(kind, folder.toString(), document);
      if (series.isEmpty()) {
        problems.add("%s is no %s".formatted(file.getFileName(), kind.word()));
      }
      return series;
    } catch (JacksonException e) {
      problems.add("%s is no JSON: %s".formatted(file.getFileName(), e.getOriginalMessage()));
    } catch (IOException e) {
      problems.add("%s can't be read: %s".formatted(file.getFileName(), e.getMessage()));
    }
    return Optional.empty();
  }

  private static String label(Place place, Map<String, Integer> uses) {
    boolean ambiguous = uses.get(place.runId()) > 1;
    return ambiguous ? place.folder().getFileName() + "/" + place.runId() : place.runId();
  }

  private static Set<String> runs(Path folder) throws IOException {
    var runs = new TreeSet<String>();
    try (var files = Files.list(folder)) {
      for (var file : files.filter(Files::isRegularFile).toList()) {
        var name = file.getFileName().toString();
        for (var suffix : OF_A_POINT) {
          if (name.endsWith(suffix) && name.length() > suffix.length()) {
            runs.add(name.substring(0, name.length() - suffix.length()));
          }
        }
        if (name.endsWith(RECORD) && isRecord(file)) {
          runs.add(name.substring(0, name.length() - RECORD.length()));
        }
      }
    }
    return runs;
  }

  private static boolean isRecord(Path file) throws IOException {
    try {
      var node = Json.mapper().readTree(Files.readString(file));
      return node.path("runId").isString() && node.path("config").isString();
    } catch (JacksonException e) {
      return false;
    }
  }
}
