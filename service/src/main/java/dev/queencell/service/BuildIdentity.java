package dev.queencell.service;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Properties;

/**
 * What exactly is running: without it a measured number is a memory.
 *
 * @param version the Maven version
 * @param commit the git commit it was built from, with {@code -dirty}
 * @param jarSha256 of the jar that holds the classes, hashed when it is asked for
 * @param jvm the Java runtime's version
 * @param jvmFlags the flags that the JVM was started with
 */
public record BuildIdentity(
    String version, String commit, OwnJar jarSha256, String jvm, List<String> jvmFlags) {

  /** Reads the identity of the running process. */
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
        OwnJar.open(),
        Runtime.version().toString(),
        ManagementFactory.getRuntimeMXBean().getInputArguments());
  }
}
