package dev.queencell.cell.series;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The folder of a series: its points by the names that the series planned for them, and its own
 * files. A point that was cut short keeps its name; the next try is {@code NAME_2}, and the last
 * whole one counts.
 */
record PointFolder(Path path) {
  private static final int TRIES_MAX = 100;

  /** The point of that name; nothing when it was not measured to its end. */
  Optional<MeasuredPoint> point(String name) throws IOException {
    for (int number = TRIES_MAX; number >= 1; number--) {
      var point = MeasuredPoint.read(path, runId(name, number));
      if (point.isPresent()) {
        return point;
      }
    }
    return Optional.empty();
  }

  /** A run id for the point that no file here has. */
  String freeRunId(String name) throws IOException {
    for (int number = 1; number <= TRIES_MAX; number++) {
      var runId = runId(name, number);
      try (var files = Files.list(path)) {
        if (files.noneMatch(file -> isOf(file.getFileName().toString(), runId))) {
          return runId;
        }
      }
    }
    throw new IOException("%s was begun %d times in %s".formatted(name, TRIES_MAX, path));
  }

  private static boolean isOf(String file, String runId) {
    return file.startsWith(runId + ".") || file.equals(runId + "-interval.csv");
  }

  private static String runId(String name, int number) {
    return name + (number == 1 ? "" : "_" + number);
  }

  boolean has(String file) {
    return Files.exists(path.resolve(file));
  }

  /**
   * Reads one of the series' documents.
   *
   * @throws IOException when it is not there, is no JSON, or says another kind of series
   */
  JsonNode document(String file, String kind) throws IOException {
    var place = path.resolve(file);
    if (!Files.exists(place)) {
      throw new IOException("there is no %s in %s".formatted(kind, path));
    }
    try {
      var document = MeasuredPoint.json(Files.readString(place));
      if (!document.path("kind").asString("").equals(kind)) {
        throw new IOException("%s is no %s".formatted(place, kind));
      }
      return document;
    } catch (JacksonException e) {
      throw new IOException("%s is no JSON: %s".formatted(place, e.getOriginalMessage()), e);
    }
  }

  /**
   * Refuses to begin a series where there is one already, unless the same one is gone on with.
   *
   * @throws IllegalArgumentException saying what is in the way
   * @throws IOException when what is there can't be read
   */
  void checkPlan(String file, String kind, ObjectNode plan, boolean resume) throws IOException {
    if (!has(file)) {
      return;
    }
    if (!resume) {
      throw new IllegalArgumentException(
          "there is a %s in %s already; take another folder or --resume it".formatted(kind, path));
    }
    var before = document(file, kind).path("plan");
    for (var wanted : plan.properties()) {
      // As text: a whole number that was read is of another type than one that is to be written.
      var had = before.path(wanted.getKey()).toString();
      if (!had.equals(wanted.getValue().toString())) {
        throw new IllegalArgumentException(
            "the %s in %s can't be resumed with other options: its %s is %s, not %s"
                .formatted(kind, path, wanted.getKey(), had, wanted.getValue()));
      }
    }
  }

  /** Writes a file at once or not at all: a report may be reading it. */
  void write(String file, String text) throws IOException {
    Files.createDirectories(path);
    var place = path.resolve(file);
    var draft = path.resolve(file + ".draft");
    Files.writeString(draft, text);
    Files.move(draft, place, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
  }
}
