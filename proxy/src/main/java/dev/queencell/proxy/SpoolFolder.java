package dev.queencell.proxy;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The folder that this process alone writes to, held by a lock until it is closed. */
final class SpoolFolder implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SpoolFolder.class);

  private final Path path;
  private final FileChannel lock;
  private final boolean temporary;

  private SpoolFolder(Path path, FileChannel lock, boolean temporary) {
    this.path = path;
    this.lock = lock;
    this.temporary = temporary;
  }

  /**
   * Takes the folder, and makes it if it is not there.
   *
   * @param wanted null for a temporary one
   * @throws IllegalStateException when it can't be had
   */
  static SpoolFolder take(Path wanted) {
    try {
      var path = wanted == null ? temporary() : owned(wanted);
      var lock =
          FileChannel.open(
              path.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      try {
        if (lock.tryLock() != null) {
          return new SpoolFolder(path, lock, wanted == null);
        }
      } catch (OverlappingFileLockException e) {
        // Told below, like one that another process has.
      }
      lock.close();
      throw new IllegalStateException(
          "another proxy uses the spool %s; each takes a QUEEN_PROXY_SPOOL_DIR of its own"
              .formatted(path));
    } catch (IOException e) {
      throw new IllegalStateException("no spool at %s: %s".formatted(wanted, e), e);
    }
  }

  Path path() {
    return path;
  }

  @Override
  public void close() throws IOException {
    lock.close();
    if (temporary && !holdsUsage()) {
      try (var files = Files.list(path)) {
        for (var file : files.toList()) {
          Files.delete(file);
        }
      }
      Files.delete(path);
    }
  }

  private boolean holdsUsage() throws IOException {
    try (var files = Files.list(path)) {
      return files.anyMatch(file -> file.getFileName().toString().startsWith("meter-"));
    }
  }

  private static Path owned(Path wanted) throws IOException {
    if (Files.isDirectory(wanted)) {
      return wanted;
    }
    return Files.createDirectories(
        wanted, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
  }

  private static Path temporary() throws IOException {
    var path = Files.createTempDirectory("queencell-proxy-");
    LOG.warn(
        "QUEEN_PROXY_SPOOL_DIR is not set: usage that is not told yet is in {}, where the next"
            + " start won't look",
        path);
    return path;
  }
}
