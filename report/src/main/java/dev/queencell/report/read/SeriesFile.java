package dev.queencell.report.read;

import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * What a script that measured several points left beside them: its plan and what it found.
 *
 * @param folder where it lies, as its points name theirs
 */
public record SeriesFile(Kind kind, String folder, JsonNode document) {
  /** Which script it was. */
  public enum Kind {
    /** Of {@code tools/ceiling.sh}. */
    LADDER("ladder.json", "ladder"),
    /** Of {@code tools/compare.sh}. */
    COMPARISON("compare.json", "comparison");

    private final String file;
    private final String word;

    Kind(String file, String word) {
      this.file = file;
      this.word = word;
    }

    String file() {
      return file;
    }

    String word() {
      return word;
    }
  }

  /** Nothing when the document does not say that it is of this kind. */
  public static Optional<SeriesFile> of(Kind kind, String folder, JsonNode document) {
    return document.path("kind").asString("").equals(kind.word())
        ? Optional.of(new SeriesFile(kind, folder, document))
        : Optional.empty();
  }
}
