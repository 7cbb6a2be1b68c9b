package dev.queencell.cell.postgres;

import dev.queencell.cell.process.Command;
import dev.queencell.cell.process.ServiceUser;
import dev.queencell.cell.process.Trees;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.xz.XZCompressorInputStream;

/**
 * The PostgreSQL programs that travel inside the jar, unpacked once per version and machine.
 *
 * <p>Unpacking goes to a folder of its own that is then renamed into place, so that a reader sees
 * either nothing or everything, and two that install at once do no harm: the second rename fails
 * and its folder is dropped. Everything is readable by all, since the server's user is not the
 * installer where root installs.
 *
 * @param bin the folder with {@code postgres}, {@code initdb} and {@code pg_ctl}; a system's own
 *     PostgreSQL serves as well
 */
public record PostgresBinaries(Path bin) {
  /** Environment variable that moves the default folder. */
  public static final String CACHE_VARIABLE = "QUEENCELL_CACHE";

  private static final Pattern MAJOR = Pattern.compile("\\(PostgreSQL\\) (\\d+)");
  private static final Duration ASK_DEADLINE = Duration.ofSeconds(20);
  private static final String UNFINISHED = ".unpacking-";
  private static final Duration ABANDONED_AFTER = Duration.ofHours(1);

  /** Installs into the default folder of this user, see {@link #defaultCache}. */
  public static PostgresBinaries install() {
    return install(defaultCache());
  }

  /**
   * Installs below {@code cache}, or finds what is there.
   *
   * @throws IllegalStateException when this machine's kind is not in the jar, or the folder can't
   *     be written
   */
  public static PostgresBinaries install(Path cache) {
    var kind = machineKind(System.getProperty("os.name"), System.getProperty("os.arch"));
    var folder = cache.toAbsolutePath().resolve("postgresql-" + version() + "-" + kind);
    if (!Files.isExecutable(folder.resolve("bin/postgres"))) {
      try {
        unpackInto(folder, "/postgres-linux-" + kind + ".txz");
      } catch (IOException e) {
        throw new IllegalStateException("can't install PostgreSQL into " + folder + ": " + e, e);
      }
    }
    return new PostgresBinaries(folder.resolve("bin"));
  }

  /**
   * {@code $QUEENCELL_CACHE}; without it a folder that the server's user can reach: the system's
   * cache for root, whose home is closed to others, and the own one for anybody else.
   */
  public static Path defaultCache() {
    var named = System.getenv(CACHE_VARIABLE);
    if (named != null && !named.isBlank()) {
      return Path.of(named);
    }
    if (ServiceUser.isRoot()) {
      return Path.of("/var/cache/queencell");
    }
    var xdg = System.getenv("XDG_CACHE_HOME");
    var caches =
        xdg == null || xdg.isBlank()
            ? Path.of(System.getProperty("user.home"), ".cache")
            : Path.of(xdg);
    return caches.resolve("queencell");
  }

  /** The packaged version, like {@code 18.6.0}. */
  public static String version() {
    try (var in = PostgresBinaries.class.getResourceAsStream("binaries.properties")) {
      var properties = new Properties();
      properties.load(in);
      return properties.getProperty("version");
    } catch (IOException e) {
      throw new IllegalStateException("the jar lacks binaries.properties", e);
    }
  }

  /** One program's path. */
  public String program(String name) {
    return bin.resolve(name).toString();
  }

  /**
   * The major version, asked from the programs themselves.
   *
   * @throws IllegalStateException when they can't be run
   */
  public int major() {
    var printed = Command.run(List.of(program("postgres"), "--version"), "", ASK_DEADLINE);
    var matcher = MAJOR.matcher(printed);
    if (!matcher.find()) {
      throw new IllegalStateException("not a PostgreSQL version: " + printed.strip());
    }
    return Integer.parseInt(matcher.group(1));
  }

  /** The names of all settings that this version knows. */
  Set<String> knownSettings(ServiceUser user) {
    // Like everything else of PostgreSQL, it refuses to describe itself to root.
    var command = user.wrap(List.of(program("postgres"), "--describe-config"));
    return Command.run(command, "", ASK_DEADLINE)
        .lines()
        .map(line -> line.substring(0, Math.max(0, line.indexOf('\t'))))
        .collect(Collectors.toUnmodifiableSet());
  }

  static String machineKind(String system, String architecture) {
    if (system.toLowerCase(Locale.ROOT).contains("linux")) {
      if (architecture.equals("amd64") || architecture.equals("x86_64")) {
        return "x86_64";
      }
      if (architecture.equals("aarch64") || architecture.equals("arm64")) {
        return "arm_64";
      }
    }
    throw new IllegalStateException(
        "no PostgreSQL binaries for %s on %s; there are some for linux on amd64 and aarch64"
            .formatted(system, architecture));
  }

  private static void unpackInto(Path folder, String resource) throws IOException {
    var cache = folder.getParent();
    createOpen(cache);
    removeAbandoned(cache);
    var unfinished = cache.resolve(UNFINISHED + UUID.randomUUID());
    try {
      unpack(resource, unfinished);
      Files.move(unfinished, folder, StandardCopyOption.ATOMIC_MOVE);
    } catch (AtomicMoveNotSupportedException e) {
      throw e;
    } catch (FileSystemException e) {
      if (!Files.isExecutable(folder.resolve("bin/postgres"))) {
        throw e;
      }
      // Another process was first; what it installed is the same.
    } finally {
      Trees.delete(unfinished);
    }
  }

  private static void unpack(String resource, Path target) throws IOException {
    createOpen(target);
    var packed = PostgresBinaries.class.getResourceAsStream(resource);
    if (packed == null) {
      throw new IOException("the jar lacks " + resource);
    }
    try (var tar =
        new TarArchiveInputStream(new XZCompressorInputStream(new BufferedInputStream(packed)))) {
      for (TarArchiveEntry entry; (entry = tar.getNextEntry()) != null; ) {
        var place = target.resolve(entry.getName()).normalize();
        if (!place.startsWith(target)) {
          throw new IOException("archive entry leaves its folder: " + entry.getName());
        }
        if (entry.isDirectory()) {
          createOpen(place);
        } else if (entry.isSymbolicLink()) {
          createOpen(place.getParent());
          Files.createSymbolicLink(place, Path.of(entry.getLinkName()));
        } else {
          createOpen(place.getParent());
          Files.copy(tar, place);
          boolean isProgram = (entry.getMode() & 0100) != 0;
          Files.setPosixFilePermissions(
              place, PosixFilePermissions.fromString(isProgram ? "rwxr-xr-x" : "rw-r--r--"));
        }
      }
    }
  }

  /** Creates a folder that everybody can enter, whatever the umask says. */
  private static void createOpen(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      if (folder.getParent() != null) {
        createOpen(folder.getParent());
      }
      Files.createDirectory(folder);
      Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
  }

  private static void removeAbandoned(Path cache) throws IOException {
    try (var entries = Files.newDirectoryStream(cache, UNFINISHED + "*")) {
      for (var entry : entries) {
        var age = Duration.between(Files.getLastModifiedTime(entry).toInstant(), Instant.now());
        if (age.compareTo(ABANDONED_AFTER) > 0) {
          Trees.delete(entry);
        }
      }
    }
  }
}
