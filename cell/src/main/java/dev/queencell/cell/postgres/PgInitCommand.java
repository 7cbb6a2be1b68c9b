package dev.queencell.cell.postgres;

import dev.queencell.cell.postgres.ConnectionOptions.PasswordFile;
import dev.queencell.cell.process.ServiceUser;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code pg init}: makes a data directory with its databases, or brings the settings of one that is
 * there up to date. Doing it twice changes nothing.
 */
@Command(
    name = "init",
    description = {
      "Initialises a data directory (SCRAM passwords, checksums, C.UTF-8) and creates databases;",
      "where that was done before, only the settings are written anew.",
      "The server must not be running."
    },
    mixinStandardHelpOptions = true)
final class PgInitCommand implements Runnable {
  /** The kernel's limit of a socket's path, less the closing zero byte. */
  private static final int SOCKET_PATH_BYTES_MAX = 107;

  @Spec private CommandSpec spec;

  @Option(
      names = "--bin",
      required = true,
      paramLabel = "DIR",
      description = "PostgreSQL's programs")
  private Path bin;

  @Option(names = "--data", required = true, paramLabel = "DIR", description = "data directory")
  private Path data;

  @Option(names = "--port", required = true, paramLabel = "N", description = "TCP port, loopback")
  private int port;

  @Option(
      names = "--user",
      required = true,
      paramLabel = "NAME",
      description = "the role that owns all")
  private String user;

  @Option(
      names = "--password-file",
      required = true,
      paramLabel = "FILE",
      description = "file that holds the role's password")
  private Path passwordFile;

  @Option(
      names = "--settings",
      paramLabel = "FILE",
      description = "settings as 'plan --postgres' prints them")
  private Path settingsFile;

  @Option(
      names = "--database",
      paramLabel = "NAME",
      description = "a database to create; may be given again")
  private List<String> databases = List.of();

  @Option(
      names = "--socket-dir",
      paramLabel = "DIR",
      description = "folder of the Unix socket; default none. Left out when its path is too long")
  private Path socketFolder;

  @Option(
      names = "--run-as",
      paramLabel = "USER",
      description = "whom the files belong to when root runs this; default $QUEENCELL_USER")
  private String runAs;

  @Override
  public void run() {
    var serviceUser = runAs == null ? ServiceUser.resolve() : ServiceUser.named(Optional.of(runAs));
    var cluster =
        new PostgresCluster(new PostgresBinaries(bin), serviceUser, data.toAbsolutePath());
    var out = spec.commandLine().getOut();
    boolean fresh = !cluster.exists();
    if (fresh) {
      cluster.initialise(user, PasswordFile.read(passwordFile), databases, true);
      out.println("initialised " + cluster.data());
    }
    var settings = settings();
    for (var unknown : cluster.unknownAmong(settings.keySet())) {
      settings.remove(unknown);
      spec.commandLine()
          .getErr()
          .printf("note: this PostgreSQL does not know %s; it is left out%n", unknown);
    }
    cluster.configure(settings);
    if (fresh) {
      databases.forEach(database -> out.println("created database " + database));
    } else {
      out.println("settings written to " + cluster.data());
    }
  }

  private Map<String, String> settings() {
    var settings = new TreeMap<String, String>();
    if (settingsFile != null) {
      try {
        settings.putAll(SettingsFile.read(settingsFile));
      } catch (IOException e) {
        throw new IllegalArgumentException("--settings can't be read: " + e, e);
      }
    }
    settings.put("listen_addresses", "127.0.0.1");
    settings.put("port", Integer.toString(port));
    settings.put("unix_socket_directories", socketFolder());
    return settings;
  }

  private String socketFolder() {
    if (socketFolder == null) {
      return "";
    }
    var folder = socketFolder.toAbsolutePath().toString();
    var socket = folder + "/.s.PGSQL." + port;
    if (socket.getBytes(StandardCharsets.UTF_8).length <= SOCKET_PATH_BYTES_MAX) {
      return folder;
    }
    spec.commandLine()
        .getErr()
        .printf(
            "note: the socket's path %s is longer than %d bytes; PostgreSQL listens on TCP only%n",
            socket, SOCKET_PATH_BYTES_MAX);
    return "";
  }
}
