package dev.queencell.cell.sample;

import dev.queencell.cell.home.CellHome;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * The ways into a cell that the sampler takes: groups, processes, PostgreSQL, metrics.
 *
 * @param home where all of them are named
 */
record SampledCell(CellHome home) {
  /** The processes that this cell runs itself. */
  List<String> units() {
    return home.units();
  }

  /** The control group of a unit or of the slice, below the hierarchy's root; empty without one. */
  String group(String unit) {
    return unit.equals(UsageProbe.SLICE) ? home.cgroup() : home.cgroup(unit);
  }

  /** The process of a unit that the scripts started last; it may be gone since. */
  OptionalLong pid(String unit) {
    return pidIn(home.folder().resolve("run").resolve(unit + ".pid"));
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
    var url = home.get("PG_JDBC_URL");
    if (url.isEmpty()) {
      throw new IOException("cell.env has no QUEENCELL_PG_JDBC_URL");
    }
    var file = home.get("PG_PASSWORD_FILE");
    var password = file.isEmpty() ? "" : Files.readString(Path.of(file)).strip();
    return new Postgres(url, home.get("PG_USER"), password);
  }

  /** Where the services show their metrics. */
  Map<String, URI> metrics() {
    var sources = new LinkedHashMap<String, URI>();
    if (!home.get("BROKER_URL").isEmpty()) {
      sources.put("broker", URI.create(home.get("BROKER_URL") + "/metrics/prometheus"));
    }
    int adminPort = home.port("proxy_admin");
    if (adminPort > 0) {
      sources.put(
          "proxy", URI.create("http://127.0.0.1:%d/metrics/prometheus".formatted(adminPort)));
    }
    return sources;
  }
}
