package dev.queencell.service;

import com.fasterxml.jackson.annotation.JsonValue;
import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The jar that this process runs from. It is opened at once and hashed when somebody asks for the
 * first time: the hash is that of the file that was there at the start, whatever took its place
 * since, and a start does not wait for it (tens of megabytes, without the processor's own
 * instructions where only the quick compiler runs). Safe for any thread.
 */
public final class OwnJar {
  /** Classes that come from a folder. */
  public static final OwnJar NONE = new OwnJar(null);

  private InputStream jar;
  private String sha256 = "";

  private OwnJar(InputStream jar) {
    this.jar = jar;
  }

  static OwnJar open() {
    try {
      return of(Path.of(OwnJar.class.getProtectionDomain().getCodeSource().getLocation().toURI()));
    } catch (IOException | URISyntaxException e) {
      return NONE;
    }
  }

  static OwnJar of(Path place) throws IOException {
    return Files.isRegularFile(place) ? new OwnJar(Files.newInputStream(place)) : NONE;
  }

  /** Lowercase hex; empty when the classes come from a folder or the file can't be read. */
  @JsonValue
  public synchronized String sha256() {
    if (jar != null) {
      try (var in = jar) {
        var digest = MessageDigest.getInstance("SHA-256");
        var chunk = new byte[64 * 1024];
        for (int read; (read = in.read(chunk)) >= 0; ) {
          digest.update(chunk, 0, read);
        }
        sha256 = HexFormat.of().formatHex(digest.digest());
      } catch (IOException | NoSuchAlgorithmException e) {
        sha256 = "";
      }
      jar = null;
    }
    return sha256;
  }
}
