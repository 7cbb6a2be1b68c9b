package dev.queencell.broker.spool;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;

/** The directory of one broker's spool, claimed by a lock on a file in it until it is closed. */
final class SpoolDirectory implements AutoCloseable {
  private final Path path;
  private final FileChannel lock;

  private SpoolDirectory(Path path, FileChannel lock) {
    this.path = path;
    this.lock = lock;
  }

  /**
   * Makes it where it is missing, and claims it.
   *
   * @throws IllegalStateException when another broker has it
   */
  static SpoolDirectory claim(Path path) throws IOException {
    Permissions.makeDirectories(path);
    var channel =
        FileChannel.open(path.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    try {
      if (channel.tryLock() != null) {
        return new SpoolDirectory(path, channel);
      }
    } catch (OverlappingFileLockException e) {
      // Another one of this very process; refused as any other.
    } catch (IOException e) {
      channel.close();
      throw e;
    }
    channel.close();
    throw new IllegalStateException(
        "FILE_BUFFER_DIR %s is in use by another broker".formatted(path));
  }

  /** The files of records, oldest first. */
  List<Path> files() throws IOException {
    try (var all = Files.list(path)) {
      return all.filter(file -> file.getFileName().toString().endsWith(SpoolFile.SUFFIX))
          .sorted(Comparator.comparing(file -> file.getFileName().toString()))
          .toList();
    }
  }

  static long number(Path file) {
    var name = file.getFileName().toString();
    return Long.parseLong(name.substring(0, name.length() - SpoolFile.SUFFIX.length()));
  }

  Path file(long number) {
    return path.resolve("%016d%s".formatted(number, SpoolFile.SUFFIX));
  }

  @Override
  public void close() throws IOException {
    lock.close();
  }
}
