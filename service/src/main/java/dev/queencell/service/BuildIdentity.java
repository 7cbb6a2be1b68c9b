package dev.queencell.service;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Properties;

/**
 * What exactly is running: without it a measured number is a memory.
 *
 * @param version the Maven version
 * @param commit the git commit it was built from, with {@code -dirty}
 * @param jarSha256 of the jar that holds the classes; empty when they come from a folder
 * @param jvm the Java runtime's version
 * @param jvmFlags the flags that the JVM was started with
 */
public record BuildIdentity(
    String version, String commit, String jarSha256, String jvm, List<String> jvmFlags) {

  /** Reads the identity of the running process; takes a moment, since it hashes the jar. */
  public static BuildIdentity read() {
    var properties = new Properties();
    try (var in = BuildIdentity.class.getResourceAsStream("/dev/queencell/build.properties")) {
      if (in != null) {
        properties.load(in);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new BuildIdentity(
        properties.getProperty("version", "unknown"),
        properties.getProperty("commit", "unknown")
            + ("true".equals(properties.getProperty("dirty")) ? "-dirty" : ""),
        hashOfOwnJar(),
        Runtime.version().toString(),
        ManagementFactory.getRuntimeMXBean().getInputArguments());
  }

  private static String hashOfOwnJar() {
    try {
      var place =
          Path.of(BuildIdentity.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      if (!Files.isRegularFile(place)) {
        return "";
      }
      var digest = MessageDigest.getInstance("SHA-256");
      try (var in = Files.newInputStream(place)) {
        var chunk = new byte[64 * 1024];
        for (int read; (read = in.read(chunk)) >= 0; ) {
          digest.update(chunk, 0, read);
        }
      }
      return HexFormat.of().formatHex(digest.digest());
    } catch (IOException | URISyntaxException | NoSuchAlgorithmException e) {
      return "";
    }
  }
}
