package dev.queencell.broker.spool;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Records that can't be stored whatever is tried, kept under {@code failed/} for somebody to look
 * at: never lost without a trace, never in the way. Used by one thread, read by others.
 */
final class FailedRecords {
  private static final String DIRECTORY = "failed";

  private final Path directory;
  private final AtomicInteger files = new AtomicInteger();
  private final AtomicLong bytes = new AtomicLong();

  FailedRecords(Path spool) throws IOException {
    directory = spool.resolve(DIRECTORY);
    Permissions.makeDirectories(directory);
    try (var all = Files.list(directory)) {
      for (var path : all.toList()) {
        files.incrementAndGet();
        bytes.addAndGet(Files.size(path));
      }
    }
  }

  /** Keeps bytes under a name that tells where they come from; durable on return. */
  void keep(String name, byte[] content) throws IOException {
    var path = directory.resolve(name);
    boolean fresh = !Files.exists(path);
    try (var channel =
        FileChannel.open(
            path,
            Set.of(
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE,
                StandardOpenOption.TRUNCATE_EXISTING),
            Permissions.FILE)) {
      var buffer = ByteBuffer.wrap(content);
      while (buffer.hasRemaining()) {
        channel.write(buffer);
      }
      channel.force(true);
    }
    Permissions.force(directory);
    if (fresh) {
      files.incrementAndGet();
      bytes.addAndGet(content.length);
    }
  }

  int files() {
    return files.get();
  }

  long bytes() {
    return bytes.get();
  }
}
