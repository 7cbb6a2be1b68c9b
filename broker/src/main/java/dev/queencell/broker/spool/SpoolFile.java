package dev.queencell.broker.spool;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * One file of records, and beside it how far it has been replayed. Written by one thread and read
 * by one other, which never reads beyond {@link #durableBytes()}.
 *
 * <p>The mark of progress is 12 bytes, written in place: a position and its checksum. A mark that
 * can't be read means the beginning; what is replayed once more then is deduplicated.
 */
final class SpoolFile {
  static final String SUFFIX = ".spool";
  private static final String MARK_SUFFIX = ".mark";
  private static final byte[] MAGIC = {'Q', 'C', 'S', 'P', 'O', 'O', 'L', '1'};
  private static final int MARK_BYTES = 12;

  final Path path;
  private final Path markPath;
  private final FileChannel channel;
  private FileChannel markChannel;
  private volatile long durableBytes;
  private long replayedBytes;
  private int records;

  private SpoolFile(Path path, FileChannel channel, long durableBytes) {
    this.path = path;
    this.markPath = path.resolveSibling(path.getFileName() + MARK_SUFFIX);
    this.channel = channel;
    this.durableBytes = durableBytes;
    this.replayedBytes = MAGIC.length;
  }

  /** Makes an empty file, durably. */
  static SpoolFile create(Path path) throws IOException {
    var channel =
        FileChannel.open(
            path,
            Set.of(
                StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE),
            Permissions.FILE);
    try {
      channel.write(ByteBuffer.wrap(MAGIC));
      channel.force(true);
      Permissions.force(path.getParent());
      return new SpoolFile(path, channel, MAGIC.length);
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  /**
   * Opens a file that is there and walks over what of it has not been replayed.
   *
   * @param each is given the body of each record
   */
  static SpoolFile open(Path path, Consumer<byte[]> each) throws IOException {
    var channel = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
    var magic = ByteBuffer.allocate(MAGIC.length);
    var file = new SpoolFile(path, channel, channel.size());
    if (file.readFully(magic, 0) && !Arrays.equals(magic.array(), MAGIC)) {
      channel.close();
      throw new IOException(path + " is no spool file of this version");
    }
    file.replayedBytes = Math.max(MAGIC.length, file.readMark());
    long at = file.replayedBytes;
    while (true) {
      var body = at <= channel.size() ? file.body(at) : null;
      if (body == null) {
        break;
      }
      each.accept(body);
      file.records++;
      at += SpoolRecord.HEADER_BYTES + body.length;
    }
    file.durableBytes = Math.min(at, channel.size());
    return file;
  }

  /** Bytes behind the last good record: what a crash tore, or what a disk has spoiled. */
  long tornBytes() throws IOException {
    return channel.size() - durableBytes;
  }

  /** Cuts them off. */
  void cutTorn() throws IOException {
    channel.truncate(durableBytes);
    channel.force(true);
  }

  /** The torn bytes themselves. */
  byte[] torn() throws IOException {
    var bytes = ByteBuffer.allocate((int) Math.min(tornBytes(), SpoolRecord.BODY_BYTES_MAX));
    readFully(bytes, durableBytes);
    return bytes.array();
  }

  /**
   * Appends records and returns when they are durable.
   *
   * @throws IOException with nothing appended; the file must not be appended to any more then,
   *     since a failed flush says nothing about what is on the disk
   */
  void append(List<byte[]> more, int moreRecords) throws IOException {
    long at = durableBytes;
    try {
      for (var bytes : more) {
        var buffer = ByteBuffer.wrap(bytes);
        while (buffer.hasRemaining()) {
          at += channel.write(buffer, at);
        }
      }
      channel.force(false);
    } catch (IOException e) {
      cutAfter(e);
      throw e;
    }
    durableBytes = at;
    records += moreRecords;
  }

  private void cutAfter(IOException cause) {
    try {
      cutTorn();
    } catch (IOException e) {
      cause.addSuppressed(e);
    }
  }

  /** The body of the record at a position, or null when there is no good one. */
  private byte[] body(long at) throws IOException {
    var header = ByteBuffer.allocate(SpoolRecord.HEADER_BYTES);
    if (!readFully(header, at)) {
      return null;
    }
    int length = header.getInt(0);
    if (length < 0 || length > SpoolRecord.BODY_BYTES_MAX || at + length > channel.size()) {
      return null;
    }
    var body = ByteBuffer.allocate(length);
    if (!readFully(body, at + SpoolRecord.HEADER_BYTES)) {
      return null;
    }
    boolean good = SpoolRecord.checksum(body.array(), 0, length) == header.getInt(4);
    return good ? body.array() : null;
  }

  private boolean readFully(ByteBuffer buffer, long from) throws IOException {
    while (buffer.hasRemaining()) {
      int read = channel.read(buffer, from + buffer.position());
      if (read < 0) {
        return false;
      }
    }
    return true;
  }

  /**
   * The next record to replay, from a position on.
   *
   * @return null at the durable end
   */
  byte[] read(long at) throws IOException {
    if (at >= durableBytes) {
      return null;
    }
    var body = body(at);
    if (body == null) {
      throw new IOException("%s is spoiled at byte %d".formatted(path, at));
    }
    return body;
  }

  /** Notes, durably, that everything before a position has been replayed. */
  void mark(long position) throws IOException {
    if (markChannel == null) {
      markChannel =
          FileChannel.open(
              markPath,
              Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
              Permissions.FILE);
    }
    var mark = ByteBuffer.allocate(MARK_BYTES).putLong(position);
    mark.putInt(SpoolRecord.checksum(mark.array(), 0, Long.BYTES)).flip();
    markChannel.write(mark, 0);
    markChannel.force(false);
    replayedBytes = position;
  }

  private long readMark() throws IOException {
    if (!Files.exists(markPath)) {
      return 0;
    }
    var bytes = Files.readAllBytes(markPath);
    var mark = ByteBuffer.wrap(bytes);
    boolean good =
        bytes.length == MARK_BYTES
            && mark.getInt(Long.BYTES) == SpoolRecord.checksum(bytes, 0, Long.BYTES);
    return good ? mark.getLong(0) : 0;
  }

  long durableBytes() {
    return durableBytes;
  }

  /** Up to where it has been replayed. */
  long replayedBytes() {
    return replayedBytes;
  }

  /** Records appended or found unreplayed. */
  int records() {
    return records;
  }

  void close() {
    try {
      channel.close();
      if (markChannel != null) {
        markChannel.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Removes it with its mark. */
  void delete() throws IOException {
    close();
    Files.deleteIfExists(path);
    Files.deleteIfExists(markPath);
  }
}
