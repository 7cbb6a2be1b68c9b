package dev.queencell.loader.provision;

import dev.queencell.service.Json;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import tools.jackson.core.JacksonException;

/**
 * The file with the tenants' keys: a JSON array, readable by its owner only. It is replaced whole
 * by a rename, after the new content has reached the disk, so that no moment exists in which a key
 * that it held is gone.
 */
public final class TenantsFile {
  private TenantsFile() {}

  /**
   * Reads it, in order of index; a missing file is an empty list.
   *
   * @throws IOException when it is there and isn't a tenants file
   */
  public static List<BenchTenant> read(Path file) throws IOException {
    byte[] bytes;
    try {
      bytes = Files.readAllBytes(file);
    } catch (NoSuchFileException e) {
      return List.of();
    }
    try {
      return List.of(Json.mapper().readValue(bytes, BenchTenant[].class)).stream()
          .sorted(Comparator.comparingInt(BenchTenant::index))
          .toList();
    } catch (JacksonException | NullPointerException e) {
      // The parser's own words name classes; whoever reads this looks at the file.
      throw new IOException(
          "%s is no tenants file: it takes what -mode provision writes".formatted(file), e);
    }
  }

  /** Replaces it. */
  public static void write(Path file, List<BenchTenant> tenants) throws IOException {
    var bytes = Json.mapper().writerWithDefaultPrettyPrinter().writeValueAsBytes(tenants);
    var draft = file.resolveSibling(file.getFileName() + ".draft");
    Files.deleteIfExists(draft);
    try (var channel =
        FileChannel.open(
            draft,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
      var buffer = ByteBuffer.wrap(bytes);
      while (buffer.hasRemaining()) {
        channel.write(buffer);
      }
      channel.force(true);
    }
    Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }
}
