package dev.queencell.report;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Two points as they were measured, one with a sampler that stood still for some seconds. */
final class Recorded {
  static final List<String> RUNS = List.of("br-2000", "px-3000");

  private Recorded() {}

  /** Copies a run's files into a folder. */
  static void copy(String run, Path into) throws IOException {
    try (var files = Files.list(folder())) {
      for (var file : files.toList()) {
        var name = file.getFileName().toString();
        if (name.startsWith(run + ".") || name.startsWith(run + "-interval")) {
          Files.copy(file, into.resolve(name));
        }
      }
    }
  }

  static Path folder() {
    try {
      return Path.of(Recorded.class.getResource("/points").toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }
}
