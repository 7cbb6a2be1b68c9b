package dev.queencell.report.read;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * {@code RUN-ID.shape.txt}: sections of {@code name: value} lines.
 *
 * @param sections by title
 */
public record Shape(Map<String, Map<String, String>> sections) {
  static final Shape NONE = new Shape(Map.of());

  /** A section, empty when there is none of that title. */
  public Map<String, String> section(String title) {
    return sections.getOrDefault(title, Map.of());
  }

  static Shape of(List<String> lines) {
    var sections = new LinkedHashMap<String, Map<String, String>>();
    var current = new LinkedHashMap<String, String>();
    for (var line : lines) {
      int colon = line.indexOf(": ");
      if (line.startsWith("# ")) {
        current = new LinkedHashMap<>();
        sections.put(line.substring(2), current);
      } else if (colon > 0) {
        current.put(line.substring(0, colon), line.substring(colon + 2));
      }
    }
    return new Shape(sections);
  }
}
