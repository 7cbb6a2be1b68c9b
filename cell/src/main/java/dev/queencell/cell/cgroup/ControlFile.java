package dev.queencell.cell.cgroup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** Reads the few formats of control files; a file that is not there reads as empty. */
final class ControlFile {
  private ControlFile() {}

  static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException e) {
      return List.of();
    }
  }

  static String firstLine(Path file) {
    var lines = lines(file);
    return lines.isEmpty() ? "" : lines.getFirst();
  }

  /** A file with one number; {@code max} and anything else that is none reads as empty. */
  static OptionalLong number(Path file) {
    return parse(firstLine(file));
  }

  /** Lines {@code key number}. */
  static Map<String, Long> keyed(Path file) {
    var numbers = new HashMap<String, Long>();
    for (var line : lines(file)) {
      int blank = line.indexOf(' ');
      if (blank > 0) {
        parse(line.substring(blank + 1)).ifPresent(n -> numbers.put(line.substring(0, blank), n));
      }
    }
    return numbers;
  }

  static OptionalLong get(Map<String, Long> numbers, String key) {
    var value = numbers.get(key);
    return value == null ? OptionalLong.empty() : OptionalLong.of(value);
  }

  /** The totals {@code some … total=N} of the pressure files that are there. */
  static Map<String, Long> pressureMicros(Path folder) {
    var totals = new HashMap<String, Long>();
    for (var resource : List.of("cpu", "memory", "io")) {
      for (var line : lines(folder.resolve(resource + ".pressure"))) {
        int total = line.indexOf("total=");
        if (line.startsWith("some ") && total > 0) {
          parse(line.substring(total + "total=".length())).ifPresent(n -> totals.put(resource, n));
        }
      }
    }
    return totals;
  }

  private static OptionalLong parse(String text) {
    try {
      return OptionalLong.of(Long.parseLong(text.strip()));
    } catch (NumberFormatException e) {
      return OptionalLong.empty();
    }
  }
}
