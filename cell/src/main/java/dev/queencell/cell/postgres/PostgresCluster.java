package dev.queencell.cell.postgres;

import dev.queencell.cell.process.Command;
import dev.queencell.cell.process.ServiceUser;
import dev.queencell.cell.process.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A data directory: made by {@code initdb}, set up by one file of settings of our own.
 *
 * <p>Always with passwords by SCRAM (also over the socket), data checksums, UTF-8 and the built-in
 * {@code C.UTF-8} locale, so that neither the machine's locales nor an update of its C library can
 * change an index's order. Initialisation happens beside the final place and is renamed into it: a
 * data directory is whole or not there.
 *
 * @param binaries whose {@code initdb} and {@code postgres} are used
 * @param user whom the files belong to
 * @param data the data directory
 */
public record PostgresCluster(PostgresBinaries binaries, ServiceUser user, Path data) {
  /** Our settings; it is included last, so that it wins over {@code postgresql.conf}. */
  static final String SETTINGS_FILE = "queencell.conf";

  private static final Duration INITDB_DEADLINE = Duration.ofMinutes(2);
  private static final int FIRST_WITH_BUILTIN_LOCALE = 17;
  private static final int NAME_LENGTH_MAX = 63;

  /** Whether the data directory has been initialised. */
  public boolean exists() {
    return Files.isRegularFile(data.resolve("PG_VERSION"));
  }

  /**
   * Initialises the data directory. Its parent must exist.
   *
   * @param superuser name of the one role, which may do everything
   * @param databases to create, so that a directory that is there has them
   * @param sync false leaves the flush to disk out, for data that need not survive the machine
   */
  public void initialise(String superuser, String password, List<String> databases, boolean sync) {
    requireName("user", superuser);
    databases.forEach(database -> requireName("database", database));
    var place = data.toAbsolutePath();
    var unfinished = place.resolveSibling(place.getFileName() + ".initialising");
    var passwordFile = place.resolveSibling(place.getFileName() + ".initial-password");
    try {
      user.requireReachable(place.getParent());
      Trees.delete(unfinished);
      writePrivately(passwordFile, password + "\n");
      Files.createDirectory(
          unfinished,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      user.own(unfinished);
      var command =
          new ArrayList<>(
              List.of(
                  binaries.program("initdb"),
                  "--pgdata=" + unfinished,
                  "--username=" + superuser,
                  "--pwfile=" + passwordFile,
                  "--auth=scram-sha-256",
                  "--data-checksums",
                  "--encoding=UTF8",
                  "--no-instructions"));
      if (binaries.major() >= FIRST_WITH_BUILTIN_LOCALE) {
        command.addAll(
            List.of("--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"));
      } else {
        command.add("--locale=C.UTF-8");
      }
      if (!sync) {
        command.add("--no-sync");
      }
      Command.run(user.wrap(command), "", INITDB_DEADLINE);
      Files.writeString(
          unfinished.resolve("postgresql.conf"),
          "include '" + SETTINGS_FILE + "'\n",
          StandardOpenOption.APPEND);
      writePrivately(unfinished.resolve(SETTINGS_FILE), "");
      for (var database : databases) {
        createDatabase(unfinished, database);
      }
      Files.move(unfinished, place, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new IllegalStateException("can't initialise " + place + ": " + e, e);
    } finally {
      deleteQuietly(passwordFile);
      deleteQuietly(unfinished);
    }
  }

  /**
   * Replaces our settings as a whole. A running server takes some of them with a reload, the others
   * with its next start.
   */
  public void configure(Map<String, String> settings) {
    var text = new StringBuilder("# Written by Queen Cell as a whole; changes here are lost.\n");
    new TreeMap<>(settings)
        .forEach(
            (name, value) -> {
              requireName("setting", name);
              text.append(name).append(" = ").append(quoted(value)).append('\n');
            });
    try {
      var next = data.resolve(SETTINGS_FILE + ".next");
      writePrivately(next, text.toString());
      Files.move(
          next,
          data.resolve(SETTINGS_FILE),
          StandardCopyOption.ATOMIC_MOVE,
          StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new IllegalStateException("can't write the settings of " + data + ": " + e, e);
    }
  }

  /** Those of the settings that this version of PostgreSQL does not know; it would not start. */
  public List<String> unknownAmong(Collection<String> names) {
    var known = binaries.knownSettings(user);
    return names.stream()
        .filter(name -> !known.contains(name) && name.indexOf('.') < 0)
        .sorted()
        .toList();
  }

  /** With the server's single-user mode, which needs neither port nor password. */
  private void createDatabase(Path folder, String database) {
    var command =
        List.of(
            binaries.program("postgres"),
            "--single",
            "-D",
            folder.toString(),
            "-c",
            "exit_on_error=on",
            "postgres");
    Command.run(user.wrap(command), "CREATE DATABASE \"" + database + "\"\n", INITDB_DEADLINE);
  }

  /**
   * Checks a name that goes into SQL or a file unquoted or between plain quotes.
   *
   * @throws IllegalArgumentException unless it is a plain lowercase identifier
   */
  static void requireName(String what, String name) {
    if (name.length() > NAME_LENGTH_MAX || !name.matches("[a-z_][a-z0-9_.]*")) {
      throw new IllegalArgumentException(
          "%s name is '%s'; it takes lowercase letters, digits and underscores, at most %d"
              .formatted(what, name, NAME_LENGTH_MAX));
    }
  }

  private static String quoted(String value) {
    if (value.indexOf('\n') >= 0) {
      throw new IllegalArgumentException("a setting's value has a line end in it");
    }
    return "'" + value.replace("\\", "\\\\").replace("'", "''") + "'";
  }

  private void writePrivately(Path file, String text) throws IOException {
    Files.deleteIfExists(file);
    Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    user.own(file);
    Files.writeString(file, text);
  }

  private static void deleteQuietly(Path path) {
    try {
      Trees.delete(path);
    } catch (IOException e) {
      // The failure that led here is the one to tell; the next try deletes this again.
    }
  }
}
