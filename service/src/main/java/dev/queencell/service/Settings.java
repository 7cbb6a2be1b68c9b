package dev.queencell.service;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Reads a service's settings from its environment, once, at start. Every read names the setting,
 * its default and what it accepts; problems are gathered, so that one start reports all of them.
 *
 * <p>Use: read everything into the service's own {@code Config} record, then call {@link
 * #conclude()} before the first socket opens. Not thread-safe; discard after use.
 */
public final class Settings {
  private final Map<String, String> environment;
  private final List<String> problems = new ArrayList<>();
  private final List<String> lines = new ArrayList<>();

  public Settings(Map<String, String> environment) {
    this.environment = environment;
  }

  /** A text; unset or empty gives the fallback, which may be null. */
  public String text(String name, String fallback) {
    var value = raw(name);
    return shown(name, value == null ? fallback : value, value == null);
  }

  /** A text that has no usable default. */
  public String required(String name, String accepts) {
    var value = raw(name);
    if (value == null) {
      problems.add(name + " is not set; it takes " + accepts);
      return "";
    }
    return shown(name, value, false);
  }

  public int integer(String name, int fallback, int min, int max) {
    return (int) number(name, fallback, min, max);
  }

  /** A whole number; the unit belongs in the name ({@code …_MS}, {@code …_BYTES}). */
  public long number(String name, long fallback, long min, long max) {
    var value = raw(name);
    if (value == null) {
      shown(name, Long.toString(fallback), true);
      return fallback;
    }
    try {
      long parsed = Long.parseLong(value);
      if (parsed >= min && parsed <= max) {
        shown(name, value, false);
        return parsed;
      }
    } catch (NumberFormatException e) {
      // Falls through to the one message for every unusable number.
    }
    problems.add(
        "%s is '%s'; it takes a whole number from %d to %d".formatted(name, value, min, max));
    return fallback;
  }

  /** A boolean: true/false, 1/0, yes/no, on/off in any case. */
  public boolean flag(String name, boolean fallback) {
    var value = raw(name);
    if (value == null) {
      shown(name, Boolean.toString(fallback), true);
      return fallback;
    }
    var parsed =
        switch (value.toLowerCase(Locale.ROOT)) {
          case "true", "1", "yes", "on" -> Boolean.TRUE;
          case "false", "0", "no", "off" -> Boolean.FALSE;
          default -> null;
        };
    if (parsed == null) {
      problems.add("%s is '%s'; it takes true or false".formatted(name, value));
      return fallback;
    }
    shown(name, parsed.toString(), false);
    return parsed;
  }

  /** One word of a closed choice. */
  public String choice(String name, String fallback, String... accepted) {
    var value = raw(name);
    if (value != null && !Arrays.asList(accepted).contains(value)) {
      problems.add(
          "%s is '%s'; it takes one of %s".formatted(name, value, String.join(", ", accepted)));
      return fallback;
    }
    return shown(name, value == null ? fallback : value, value == null);
  }

  /**
   * A secret, from the variable {@code name} or from the file that {@code name_FILE} names. Never
   * shown by {@link #describe()}. Null when neither is set.
   */
  public String secret(String name) {
    var file = raw(name + "_FILE");
    if (file == null) {
      var value = raw(name);
      lines.add("%s = %s".formatted(name, value == null ? "(unset)" : "(set)"));
      return value;
    }
    lines.add("%s_FILE = %s".formatted(name, file));
    try {
      var value = Files.readString(Path.of(file)).strip();
      if (!value.isEmpty()) {
        return value;
      }
      problems.add("%s_FILE names an empty file: %s".formatted(name, file));
    } catch (IOException e) {
      problems.add("%s_FILE can't be read: %s".formatted(name, e));
    }
    return null;
  }

  /** Notes a problem that only a combination of settings shows. */
  public void problem(String text) {
    problems.add(text);
  }

  /**
   * Ends the reading.
   *
   * @throws IllegalStateException naming every problem, a line each
   */
  public void conclude() {
    if (!problems.isEmpty()) {
      throw new IllegalStateException("bad settings:\n  " + String.join("\n  ", problems));
    }
  }

  /** One line per setting, secrets hidden, defaults marked. */
  public String describe() {
    return String.join("\n", lines);
  }

  private String raw(String name) {
    var value = environment.get(name);
    return value == null || value.isBlank() ? null : value.strip();
  }

  private String shown(String name, String value, boolean isDefault) {
    lines.add("%s = %s%s".formatted(name, value, isDefault ? " (default)" : ""));
    return value;
  }
}
