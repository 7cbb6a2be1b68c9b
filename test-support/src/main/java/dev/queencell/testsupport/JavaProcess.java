package dev.queencell.testsupport;

import dev.queencell.cell.process.OrphanGuard;
import dev.queencell.cell.process.ServiceUser;
import dev.queencell.cell.process.Signal;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * A Java program in a process of its own: started with an environment, its output kept, killed or
 * frozen at will, gone with {@link #close()} and also when this JVM is killed.
 *
 * <pre>{@code
 * try (var broker = JavaProcess.ofClass("dev.queencell.broker.BrokerMain").env("PORT", "0").start()) {
 *   URI url = broker.awaitReady();
 * }
 * }</pre>
 *
 * Thread-safe once started.
 */
public final class JavaProcess implements AutoCloseable {
  private static final Pattern READY = Pattern.compile("ready on (http://\\S+)");
  private static final Duration START_DEADLINE = Duration.ofSeconds(60);
  private static final Duration KILL_DEADLINE = Duration.ofSeconds(20);

  private final Process process;
  private final OutputLines output;

  private JavaProcess(Process process) {
    this.process = process;
    this.output = OutputLines.follow(process.inputReader(StandardCharsets.UTF_8));
    var guard =
        OrphanGuard.start(
            new ServiceUser(Optional.empty()),
            "kill -KILL \"$1\"\n",
            List.of(Long.toString(process.pid())));
    // Its number may belong to another process later.
    var _ = process.onExit().thenRun(guard::dismiss);
  }

  /** A program given by its main class, on this JVM's own class path. */
  public static Launch ofClass(String mainClass) {
    return new Launch(List.of("-cp", classPath(), mainClass));
  }

  /** Also that of a launcher that loads the tests by a loader of its own. */
  private static String classPath() {
    var path = new ArrayList<String>();
    if (JavaProcess.class.getClassLoader() instanceof URLClassLoader loader) {
      for (var url : loader.getURLs()) {
        path.add(Path.of(URI.create(url.toString())).toString());
      }
    }
    path.add(System.getProperty("java.class.path"));
    return String.join(File.pathSeparator, path);
  }

  /** A program given by its jar. */
  public static Launch ofJar(Path jar) {
    return new Launch(List.of("-jar", jar.toString()));
  }

  /** What a process is started with. */
  public static final class Launch {
    private final List<String> program;
    private final List<String> starters = new ArrayList<>();
    private final List<String> jvmFlags = new ArrayList<>();
    private final List<String> arguments = new ArrayList<>();
    private final Map<String, String> environment = new TreeMap<>();

    private Launch(List<String> program) {
      this.program = program;
      jvmFlag("-XX:+UseSerialGC").jvmFlag("-XX:TieredStopAtLevel=1").jvmFlag("-Xmx256m");
      jvmFlag("-Xshare:auto").jvmFlag("--enable-native-access=ALL-UNNAMED");
    }

    /** Adds a flag for the JVM; a later one wins over an earlier one. */
    public Launch jvmFlag(String flag) {
      jvmFlags.add(flag);
      return this;
    }

    /** Adds an argument for the program. */
    public Launch argument(String argument) {
      arguments.add(argument);
      return this;
    }

    /** Has a program start it by becoming it, such as {@code unshare --net}. */
    public Launch under(String... programs) {
      starters.addAll(List.of(programs));
      return this;
    }

    public Launch env(String name, String value) {
      environment.put(name, value);
      return this;
    }

    public Launch env(Map<String, String> variables) {
      environment.putAll(variables);
      return this;
    }

    /** Starts it; see {@link JavaProcess#awaitReady()} for services. */
    public JavaProcess start() {
      var command = new ArrayList<>(starters);
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      command.addAll(jvmFlags);
      command.addAll(program);
      command.addAll(arguments);
      var builder = new ProcessBuilder(command).redirectErrorStream(true);
      builder.environment().putAll(environment);
      try {
        return new JavaProcess(builder.start());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /**
   * Waits for the line {@code ready on http://…} that every service prints.
   *
   * @throws AssertionError with all output, when it ends or takes longer than a minute
   */
  public URI awaitReady() {
    var line = awaitLine(READY, START_DEADLINE);
    var matcher = READY.matcher(line);
    if (!matcher.find()) {
      throw new AssertionError("unreachable: " + line);
    }
    return URI.create(matcher.group(1));
  }

  /**
   * Waits for a line of output, also one that was printed before.
   *
   * @throws AssertionError with all output, when it ends or the deadline passes without one
   */
  public String awaitLine(Pattern pattern, Duration deadline) {
    return output.await(pattern, deadline);
  }

  /** What it printed so far, standard output and error mixed; the last 20,000 lines. */
  public List<String> output() {
    return output.lines();
  }

  public long pid() {
    return process.pid();
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  /** Kills it, as the machine would. */
  public void kill9() {
    process.destroyForcibly();
    exitCode(KILL_DEADLINE);
  }

  /** Asks it to stop (SIGTERM); {@link #exitCode} says when and how it did. */
  public void terminate() {
    process.destroy();
  }

  /** Freezes it: connections stay open and nothing answers. */
  public void pause() {
    Signal.STOP.send(pid());
  }

  /** Ends {@link #pause()}. */
  public void resume() {
    Signal.CONT.send(pid());
  }

  /**
   * Waits for its end.
   *
   * @throws AssertionError with its output, when it is still running at the deadline
   */
  public int exitCode(Duration deadline) {
    try {
      if (process.waitFor(deadline.toMillis(), TimeUnit.MILLISECONDS)) {
        return process.exitValue();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    throw new AssertionError(
        "still running after %d ms:\n%s"
            .formatted(deadline.toMillis(), String.join("\n", output())));
  }

  /** Kills it if it still runs. */
  @Override
  public void close() {
    kill9();
  }
}
