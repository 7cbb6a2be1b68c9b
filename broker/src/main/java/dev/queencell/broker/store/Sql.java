package dev.queencell.broker.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Reads a statement from its {@code .sql} resource, beside the class that runs it. */
public final class Sql {
  private Sql() {}

  /**
   * The text of {@code name.sql} in the package of {@code owner}, comments included (they show up
   * in PostgreSQL's own views).
   */
  public static String read(Class<?> owner, String name) {
    try (var in = owner.getResourceAsStream(name + ".sql")) {
      if (in == null) {
        throw new IllegalStateException("no such statement: " + name + ".sql");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
