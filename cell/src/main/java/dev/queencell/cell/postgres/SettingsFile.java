package dev.queencell.cell.postgres;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/** Reads settings in the format of {@code postgresql.conf}: {@code name = 'value' # comment}. */
final class SettingsFile {
  private static final Pattern LINE =
      Pattern.compile("\\s*([a-z_.0-9]+)\\s*=\\s*(?:'((?:[^']|'')*)'|([^\\s'#]+))\\s*(?:#.*)?");
  private static final Pattern EMPTY = Pattern.compile("\\s*(?:#.*)?");

  private SettingsFile() {}

  /**
   * Reads a file; a later line wins over an earlier one.
   *
   * @throws IllegalArgumentException naming the line that is no setting
   */
  static Map<String, String> read(Path file) throws IOException {
    var settings = new LinkedHashMap<String, String>();
    int number = 0;
    for (var line : Files.readAllLines(file)) {
      number++;
      var matcher = LINE.matcher(line);
      if (matcher.matches()) {
        var quoted = matcher.group(2);
        settings.put(
            matcher.group(1), quoted == null ? matcher.group(3) : quoted.replace("''", "'"));
      } else if (!EMPTY.matcher(line).matches()) {
        throw new IllegalArgumentException(
            "%s line %d is '%s'; it takes name = 'value'".formatted(file, number, line));
      }
    }
    return settings;
  }
}
