package dev.queencell.loader.options;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a running cell says about itself in its home's {@code cell.env}: addresses, the place of the
 * admin token, the caps in force. Without a cell it is empty and every lookup gives its fallback.
 * Immutable.
 */
public final class CellHome {
  /** Where the cell lives. */
  public static final Option<String> HOME =
      Option.text(
          "home",
          null,
          ".+",
          "a directory",
          "home of the cell that gives defaults (QUEENCELL_HOME, then ./.cell)");

  private static final String FILE = "cell.env";

  private final Path directory;
  private final Map<String, String> values;

  private CellHome(Path directory, Map<String, String> values) {
    this.directory = directory;
    this.values = values;
  }

  /**
   * Reads the home that the options or the environment name.
   *
   * @throws BadOptionException when a home was named and holds no readable {@code cell.env}
   */
  public static CellHome find(Options options, Map<String, String> environment) {
    var named = options.get(HOME);
    var directory =
        Path.of(named != null ? named : environment.getOrDefault("QUEENCELL_HOME", ".cell"));
    var file = directory.resolve(FILE);
    if (named == null && !Files.isRegularFile(file)) {
      return new CellHome(null, Map.of());
    }
    try {
      return new CellHome(directory, parse(Files.readString(file)));
    } catch (IOException e) {
      throw new BadOptionException(
          "-home is '%s'; it takes the home of a cell, with a readable %s in it"
              .formatted(directory, FILE));
    }
  }

  static Map<String, String> parse(String text) {
    var values = new LinkedHashMap<String, String>();
    for (var line : text.split("\n", -1)) {
      int equals = line.indexOf('=');
      if (equals <= 0 || line.startsWith("#")) {
        continue;
      }
      var key = line.substring(0, equals).strip();
      values.put(
          key.startsWith("export ") ? key.substring(7).strip() : key,
          unquoted(line.substring(equals + 1).strip()));
    }
    return values;
  }

  /** Undoes the shell's quoting as the kit writes it: {@code 'it'\''s'}. */
  private static String unquoted(String value) {
    if (value.length() >= 2 && value.startsWith("'") && value.endsWith("'")) {
      return value.substring(1, value.length() - 1).replace("'\\''", "'");
    }
    if (value.length() >= 2 && value.startsWith("\"") && value.endsWith("\"")) {
      return value.substring(1, value.length() - 1);
    }
    return value;
  }

  /** A file of the cell's: in its home, or in the working directory where there is no cell. */
  public Path file(String name) {
    return directory == null ? Path.of(name) : directory.resolve(name);
  }

  /** A value; the fallback, which may be null, when the cell doesn't say. */
  public String get(String key, String fallback) {
    var value = values.get(key);
    return value == null || value.isEmpty() ? fallback : value;
  }
}
