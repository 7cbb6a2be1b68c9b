package dev.queencell.state.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * The statements of one {@code .sql} resource, by name. A file holds sections that begin with
 * {@code -- name: some_name}; the comments inside a section are for its readers and are sent along.
 *
 * <p>Immutable.
 */
public final class Statements {
  private static final String SECTION = "-- name: ";

  private final String file;
  private final Map<String, String> byName;

  private Statements(String file, Map<String, String> byName) {
    this.file = file;
    this.byName = byName;
  }

  /**
   * Loads {@code dev/queencell/state/sql/<file>.sql}.
   *
   * @throws IllegalStateException when there is no such resource
   */
  public static Statements of(String file) {
    var path = "/dev/queencell/state/sql/" + file + ".sql";
    try (var in = Statements.class.getResourceAsStream(path)) {
      if (in == null) {
        throw new IllegalStateException("no resource " + path);
      }
      return new Statements(file, parse(new String(in.readAllBytes(), StandardCharsets.UTF_8)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * The statement of that name.
   *
   * @throws IllegalStateException when the file has none
   */
  public String named(String name) {
    var sql = byName.get(name);
    if (sql == null) {
      throw new IllegalStateException("%s.sql has no statement named %s".formatted(file, name));
    }
    return sql;
  }

  private static Map<String, String> parse(String text) {
    var sections = new HashMap<String, String>();
    String name = null;
    var body = new StringBuilder();
    for (var line : text.lines().toList()) {
      if (line.startsWith(SECTION)) {
        put(sections, name, body);
        name = line.substring(SECTION.length()).strip();
        body.setLength(0);
      } else {
        body.append(line).append('\n');
      }
    }
    put(sections, name, body);
    return Map.copyOf(sections);
  }

  private static void put(Map<String, String> sections, String name, StringBuilder body) {
    if (name != null) {
      sections.put(name, body.toString().strip());
    }
  }
}
