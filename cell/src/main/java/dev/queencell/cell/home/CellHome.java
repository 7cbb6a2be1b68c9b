package dev.queencell.cell.home;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * A cell's home folder and what its {@code cell.env} says. Immutable.
 *
 * @param folder the home, absolute
 * @param settings the lines of {@code cell.env}
 */
public record CellHome(Path folder, Map<String, String> settings) {
  private static final Pattern LINE = Pattern.compile("([A-Z][A-Z0-9_]*)='([^']*)'");
  private static final List<String> ALL_UNITS =
      List.of("pg", "statepg", "state", "broker", "proxy");

  public CellHome {
    settings = Map.copyOf(settings);
  }

  /**
   * Reads a home.
   *
   * @throws IllegalArgumentException when there is no cell in the folder
   */
  public static CellHome read(Path folder) {
    var file = folder.toAbsolutePath().resolve("cell.env");
    try {
      var settings = new HashMap<String, String>();
      for (var line : Files.readAllLines(file)) {
        var match = LINE.matcher(line);
        if (match.matches()) {
          settings.put(match.group(1), match.group(2));
        }
      }
      return new CellHome(folder.toAbsolutePath(), settings);
    } catch (NoSuchFileException e) {
      throw new IllegalArgumentException("no cell in %s: it has no cell.env".formatted(folder), e);
    } catch (IOException e) {
      throw new IllegalStateException("can't read " + file + ": " + e, e);
    }
  }

  /** Whether the scripts have brought the cell up and not taken it down since. */
  public boolean isUp() {
    return Files.exists(folder.resolve("up"));
  }

  /** A setting of {@code cell.env} without its {@code QUEENCELL_}; empty when it is not there. */
  public String get(String name) {
    return settings.getOrDefault("QUEENCELL_" + name, "");
  }

  /** The port of a unit; 0 when there is none. */
  public int port(String unit) {
    var text = get("PORT_" + unit.toUpperCase(Locale.ROOT));
    return text.isEmpty() ? 0 : Integer.parseInt(text);
  }

  /** The units that this cell runs itself, in the order of their start. */
  public List<String> units() {
    return usesExternalPostgres() ? ALL_UNITS.subList(1, ALL_UNITS.size()) : ALL_UNITS;
  }

  /** Whether the messages live in a server that somebody else runs. */
  public boolean usesExternalPostgres() {
    return get("PG_MODE").equals("external");
  }

  /** Whether systemd keeps the processes; else the kit's own supervisors do. */
  public boolean runsUnderSystemd() {
    return get("CAP").equals("systemd");
  }

  /** The group of the whole cell below the root of the kernel's hierarchy; empty without one. */
  public String cgroup() {
    return get("CGROUP");
  }

  /** The unit's group below the root of the kernel's hierarchy; empty when there is none. */
  public String cgroup(String unit) {
    return get("CGROUP_" + unit.toUpperCase(Locale.ROOT));
  }
}
