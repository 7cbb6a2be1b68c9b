package dev.queencell.cell.postgres;

import dev.queencell.cell.process.Command;
import dev.queencell.cell.process.OrphanGuard;
import dev.queencell.cell.process.ServiceUser;
import dev.queencell.cell.process.Signal;
import dev.queencell.cell.process.Trees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A PostgreSQL server that lives as long as its owner: started on a free loopback port in a
 * temporary folder, with a random password, gone with {@link #close()} and also when this JVM is
 * killed (see {@link OrphanGuard}).
 *
 * <p>Two kinds: {@link #disposable} trades durability for speed, {@link #durable} keeps every
 * guarantee and is the one to crash with {@link #kill9()}, {@link #restart()} and {@link #pause()}.
 * The port stays the same over restarts. Methods that change the server's state are for one thread;
 * the rest may be called from any.
 */
public final class PostgresServer implements AutoCloseable {
  /** The name of the role that owns everything. */
  public static final String USER = "queencell";

  private static final String HOST = "127.0.0.1";
  private static final Duration START_DEADLINE = Duration.ofSeconds(60);
  private static final Duration STOP_DEADLINE = Duration.ofSeconds(20);
  private static final long POLL_INTERVAL_MS = 10;
  private static final int PASSWORD_BYTES = 16;

  /** Others on this machine take ports too, between our looking and our binding. */
  private static final int PORT_TRIES = 5;

  private static final Map<String, String> BASE_SETTINGS =
      Map.of(
          "listen_addresses", HOST,
          // The path of a socket is limited to 107 bytes and nobody here needs one.
          "unix_socket_directories", "",
          "jit", "off",
          "shared_buffers", "64MB",
          "log_line_prefix", "%m [%p] %d ");

  private static final Map<String, String> DISPOSABLE_SETTINGS =
      Map.of(
          "fsync", "off",
          "synchronous_commit", "off",
          "full_page_writes", "off",
          "wal_level", "minimal",
          "max_wal_senders", "0");

  private final Path folder;
  private final PostgresCluster cluster;
  private final String password;
  private final Map<String, String> settings;
  private final OrphanGuard guard;
  private int port;
  private Process postmaster;

  private PostgresServer(Map<String, String> settings, boolean sync) throws IOException {
    var user = ServiceUser.resolve();
    this.settings = new TreeMap<>(BASE_SETTINGS);
    this.settings.putAll(settings);
    this.folder = Files.createTempDirectory("queencell-pg-");
    user.own(folder);
    this.password = randomPassword();
    this.cluster = new PostgresCluster(PostgresBinaries.install(), user, folder.resolve("data"));
    this.guard = OrphanGuard.start(user, cleanUpScript(), List.of(folder.toString()));
    try {
      cluster.initialise(USER, password, List.of(), sync);
      startOnFreePort();
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  /** Starts a fast server whose data may be lost when the machine or the server crashes. */
  public static PostgresServer disposable() {
    return disposable(Map.of());
  }

  /** The same with further settings, which win over the usual ones. */
  public static PostgresServer disposable(Map<String, String> settings) {
    var all = new TreeMap<>(DISPOSABLE_SETTINGS);
    all.putAll(settings);
    return create(all, false);
  }

  /** Starts a server that loses nothing it has confirmed, as in production. */
  public static PostgresServer durable() {
    return durable(Map.of());
  }

  /** The same with further settings, which win over the usual ones. */
  public static PostgresServer durable(Map<String, String> settings) {
    return create(settings, true);
  }

  private static PostgresServer create(Map<String, String> settings, boolean sync) {
    try {
      return new PostgresServer(settings, sync);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public String host() {
    return HOST;
  }

  public int port() {
    return port;
  }

  public String password() {
    return password;
  }

  /** The URL of a database, without user and password. */
  public String jdbcUrl(String database) {
    return "jdbc:postgresql://%s:%d/%s".formatted(HOST, port, database);
  }

  /** Connections to a database, each a new one. */
  public DataSource dataSource(String database) {
    var source = new PGSimpleDataSource();
    source.setUrl(jdbcUrl(database));
    source.setUser(USER);
    source.setPassword(password);
    return source;
  }

  /** The temporary folder with the data directory {@code data} and the log {@code postgres.log}. */
  public Path folder() {
    return folder;
  }

  /** The process id of the postmaster. */
  public long pid() {
    return postmaster.pid();
  }

  public boolean isRunning() {
    return postmaster != null && postmaster.isAlive();
  }

  /** The end of the server's log. */
  public String logTail() {
    try {
      return Command.lastLines(Files.readString(logFile()));
    } catch (IOException e) {
      return "(no log: " + e + ")";
    }
  }

  /** Kills the postmaster and every process of it, as when the machine loses power. */
  public void kill9() {
    // First the postmaster: it would answer a dead child with a restart of its own.
    var children = childPids();
    Signal.KILL.send(postmaster.pid());
    Signal.KILL.send(children);
    awaitEnd(children);
  }

  /** Starts it again after {@link #kill9()} or {@link #stop()}, on the same port and data. */
  public void start() {
    if (isRunning()) {
      throw new IllegalStateException("PostgreSQL is running already on port " + port);
    }
    launch();
  }

  /**
   * A fast shutdown: sessions are cut, nothing confirmed is lost. Stopped already is no failure.
   */
  public void stop() {
    if (!isRunning()) {
      return;
    }
    resume();
    var children = childPids();
    Signal.INT.send(postmaster.pid());
    if (!endsWithin(STOP_DEADLINE)) {
      Signal.QUIT.send(postmaster.pid());
      if (!endsWithin(STOP_DEADLINE)) {
        Signal.KILL.send(postmaster.pid());
        Signal.KILL.send(children);
      }
    }
    awaitEnd(children);
  }

  /** Stops and starts. */
  public void restart() {
    stop();
    start();
  }

  /** Freezes every process of the server: connections stay open and nothing answers. */
  public void pause() {
    Signal.STOP.send(postmaster.pid());
    Signal.STOP.send(childPids());
  }

  /** Ends {@link #pause()}. */
  public void resume() {
    var pids = new ArrayList<>(childPids());
    pids.add(postmaster.pid());
    Signal.CONT.send(pids);
  }

  /** Stops the server and deletes its data. */
  @Override
  public void close() {
    stop();
    guard.dismiss();
    try {
      Trees.delete(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void startOnFreePort() throws IOException {
    for (int tries = 1; ; tries++) {
      try (var probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
        port = probe.getLocalPort();
      }
      settings.put("port", Integer.toString(port));
      cluster.configure(settings);
      try {
        launch();
        return;
      } catch (IllegalStateException e) {
        if (tries == PORT_TRIES || !logTail().contains("could not bind")) {
          throw e;
        }
      }
    }
  }

  private void launch() {
    var command =
        cluster
            .user()
            .wrap(List.of(cluster.binaries().program("postgres"), "-D", cluster.data().toString()));
    try {
      postmaster =
          new ProcessBuilder(command)
              .directory(folder.toFile())
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.appendTo(logFile().toFile()))
              .start();
    } catch (IOException e) {
      throw new IllegalStateException("can't start PostgreSQL: " + e, e);
    }
    long deadlineNanos = System.nanoTime() + START_DEADLINE.toNanos();
    while (!isReady()) {
      if (!postmaster.isAlive()) {
        throw new IllegalStateException("PostgreSQL did not start:\n" + logTail());
      }
      if (System.nanoTime() - deadlineNanos > 0) {
        kill9();
        throw new IllegalStateException(
            "PostgreSQL was not ready after %d s:\n%s"
                .formatted(START_DEADLINE.toSeconds(), logTail()));
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(POLL_INTERVAL_MS));
    }
  }

  /** The postmaster writes its state into the eighth line of its pid file, as pg_ctl reads it. */
  private boolean isReady() {
    try {
      var lines = Files.readAllLines(cluster.data().resolve("postmaster.pid"));
      return lines.size() >= 8
          && lines.get(7).strip().equals("ready")
          && lines.getFirst().strip().equals(Long.toString(postmaster.pid()));
    } catch (IOException e) {
      return false;
    }
  }

  private List<Long> childPids() {
    return postmaster.descendants().map(ProcessHandle::pid).toList();
  }

  private boolean endsWithin(Duration deadline) {
    try {
      return postmaster.waitFor(deadline.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while PostgreSQL stops", e);
    }
  }

  /** A new start is refused while one old child still holds the shared memory. */
  private void awaitEnd(List<Long> children) {
    if (!endsWithin(STOP_DEADLINE)) {
      throw new IllegalStateException("PostgreSQL with pid " + pid() + " does not end");
    }
    for (long child : children) {
      ProcessHandle.of(child)
          .ifPresent(
              handle ->
                  handle
                      .onExit()
                      .completeOnTimeout(handle, STOP_DEADLINE.toMillis(), TimeUnit.MILLISECONDS)
                      .join());
    }
  }

  private Path logFile() {
    return folder.resolve("postgres.log");
  }

  private static String randomPassword() {
    var bytes = new byte[PASSWORD_BYTES];
    new SecureRandom().nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  private static String cleanUpScript() {
    try (var in = PostgresServer.class.getResourceAsStream("clean-up.sh")) {
      return new String(in.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
