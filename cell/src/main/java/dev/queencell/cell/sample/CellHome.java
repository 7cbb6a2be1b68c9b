package dev.queencell.cell.sample;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/**
 * What the sampler needs to know of a cell: its {@code cell.env} and the pids under {@code run/}.
 * Reads only; the scripts own both.
 */
final class CellHome {
  /** The processes of a cell, as they are named in every record. */
  static final List<String> UNITS = List.of("pg", "statepg", "state", "broker", "proxy");

  private static final Pattern LINE = Pattern.compile("([A-Z][A-Z0-9_]*)='?([^']*)'?");

  private final Path folder;
  private final Map<String, String> settings;

  private CellHome(Path folder, Map<String, String> settings) {
    this.folder = folder;
    this.settings = settings;
  }

  /**
   * Reads a home.
   *
   * @throws IOException when the home holds no readable {@code cell.env}
   */
  static CellHome read(Path folder) throws IOException {
    var file = folder.resolve("cell.env");
    if (!Files.isReadable(file)) {
      throw new IOException("no cell in %s: there is no readable cell.env".formatted(folder));
    }
    var settings = new HashMap<String, String>();
    for (var line : Files.readAllLines(file)) {
      var parts = LINE.matcher(line.strip());
      if (parts.matches()) {
        settings.put(parts.group(1), parts.group(2));
      }
    }
    return new CellHome(folder, settings);
  }

  /** The setting's value; empty when the home does not have it. */
  String setting(String name) {
    return settings.getOrDefault(name, "");
  }

  /** All settings; none of them is a secret, those lie in files of their own. */
  Map<String, String> settings() {
    return Map.copyOf(settings);
  }

  /** The control group of a unit or of the slice, below the hierarchy's root; empty without one. */
  String group(String unit) {
    return setting(
        unit.equals(UsageProbe.SLICE)
            ? "QUEENCELL_CGROUP"
            : "QUEENCELL_CGROUP_" + unit.toUpperCase(Locale.ROOT));
  }

  /** The process of a unit that the scripts started last; it may be gone since. */
  OptionalLong pid(String unit) {
    return pidIn(folder.resolve("run").resolve(unit + ".pid"));
  }

  /** The pid that a file holds; nothing when there is no such file yet. */
  static OptionalLong pidIn(Path file) {
    try {
      return OptionalLong.of(Long.parseLong(Files.readString(file).strip().split("\\s", 2)[0]));
    } catch (IOException | NumberFormatException e) {
      return OptionalLong.empty();
    }
  }

  /** The sampler's way into the PostgreSQL that holds the messages. */
  Postgres postgres() throws IOException {
    var url = setting("QUEENCELL_PG_JDBC_URL");
    if (url.isEmpty()) {
      throw new IOException("cell.env has no QUEENCELL_PG_JDBC_URL");
    }
    var file = setting("QUEENCELL_PG_PASSWORD_FILE");
    var password = file.isEmpty() ? "" : Files.readString(Path.of(file)).strip();
    return new Postgres(url, setting("QUEENCELL_PG_USER"), password);
  }

  /** Where the services show their metrics. */
  Map<String, URI> metrics() {
    var sources = new LinkedHashMap<String, URI>();
    if (!setting("QUEENCELL_BROKER_URL").isEmpty()) {
      sources.put("broker", URI.create(setting("QUEENCELL_BROKER_URL") + "/metrics/prometheus"));
    }
    if (!setting("QUEENCELL_PORT_PROXY_ADMIN").isEmpty()) {
      sources.put(
          "proxy",
          URI.create(
              "http://127.0.0.1:%s/metrics/prometheus"
                  .formatted(setting("QUEENCELL_PORT_PROXY_ADMIN"))));
    }
    return sources;
  }
}
