package dev.queencell.loader;

import dev.queencell.loader.app.AppMode;
import dev.queencell.loader.cloud.CloudMode;
import dev.queencell.loader.merge.MergeCommand;
import dev.queencell.loader.options.BadOptionException;
import dev.queencell.loader.options.OptionSet;
import dev.queencell.loader.options.Options;
import dev.queencell.loader.order.OrderMode;
import dev.queencell.loader.pipeline.CmMode;
import dev.queencell.loader.provision.ProvisionMode;
import dev.queencell.loader.run.Interruption;
import dev.queencell.loader.run.Invocation;
import dev.queencell.loader.throughput.ThroughputMode;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The load generator's command line.
 *
 * <p>Exit codes: 0 done and passed, 1 set-up failed, 2 bad options, 3 the verdict is FAIL, 130
 * interrupted. On an interrupt the JVM's shutdown hook ends the run, waits for its partial record
 * and leaves with 130.
 */
public final class LoaderMain {
  private static final int EXIT_BAD_OPTIONS = 2;
  private static final int EXIT_INTERRUPTED = 130;
  private static final long RECORD_TIMEOUT_MS = 60_000;
  private static final String DEFAULT_MODE = "max";

  /** A mode's body. */
  private interface Body {
    int run(Options options) throws InterruptedException;
  }

  private record Mode(OptionSet options, Body body) {}

  private final Map<String, Mode> modes = new LinkedHashMap<>();
  private final PrintStream out;
  private final PrintStream err;

  LoaderMain(
      Map<String, String> environment,
      PrintStream out,
      PrintStream err,
      boolean terminal,
      Interruption interruption) {
    this.out = out;
    this.err = err;
    modes.put(
        "max",
        new Mode(
            ThroughputMode.MAX_OPTIONS,
            o -> ThroughputMode.runMax(invocation(o, environment, terminal, interruption))));
    modes.put(
        "openloop",
        new Mode(
            ThroughputMode.OPENLOOP_OPTIONS,
            o -> ThroughputMode.runOpenLoop(invocation(o, environment, terminal, interruption))));
    modes.put(
        "cm",
        new Mode(
            CmMode.OPTIONS, o -> CmMode.run(invocation(o, environment, terminal, interruption))));
    modes.put(
        "cloud",
        new Mode(
            CloudMode.OPTIONS,
            o -> CloudMode.run(invocation(o, environment, terminal, interruption))));
    modes.put(
        "app",
        new Mode(
            AppMode.OPTIONS, o -> AppMode.run(invocation(o, environment, terminal, interruption))));
    modes.put(
        "order",
        new Mode(
            OrderMode.OPTIONS,
            o -> OrderMode.run(invocation(o, environment, terminal, interruption))));
    modes.put(
        "provision",
        new Mode(
            ProvisionMode.OPTIONS,
            options -> ProvisionMode.run(options, environment, out, interruption::isRaised)));
  }

  private Invocation invocation(
      Options options,
      Map<String, String> environment,
      boolean terminal,
      Interruption interruption) {
    return new Invocation(options, environment, out, terminal, interruption);
  }

  public static void main(String[] args) throws InterruptedException {
    var interruption = new Interruption();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> endOnSignal(interruption), "interrupt"));
    int code;
    try {
      code =
          new LoaderMain(System.getenv(), System.out, System.err, onTerminal(), interruption)
              .run(args);
    } finally {
      interruption.ended();
    }
    System.exit(code);
  }

  @SuppressWarnings("SystemConsoleNull") // it is null without a terminal in every release we meet
  private static boolean onTerminal() {
    var console = System.console();
    return console != null && console.isTerminal();
  }

  private static void endOnSignal(Interruption interruption) {
    try {
      if (interruption.awaitEnd(0)) {
        return;
      }
      interruption.raise();
      if (!interruption.awaitEnd(RECORD_TIMEOUT_MS)) {
        System.err.println("no record was written within " + RECORD_TIMEOUT_MS + " ms");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    System.out.flush();
    Runtime.getRuntime().halt(EXIT_INTERRUPTED);
  }

  int run(String... args) throws InterruptedException {
    try {
      if (args.length > 0 && args[0].equals("merge")) {
        return MergeCommand.run(out, Arrays.copyOfRange(args, 1, args.length));
      }
      var name = modeOf(args);
      if (name == null && asksForHelp(args)) {
        out.println("usage: loader -mode MODE [options]; -mode MODE -h prints a mode's options");
        out.println("modes: " + String.join(", ", modes.keySet()) + "; default " + DEFAULT_MODE);
        out.println("       loader merge A.json B.json …; merge -h explains it");
        return 0;
      }
      var mode = modes.get(name == null ? DEFAULT_MODE : name);
      if (mode == null) {
        throw new BadOptionException(
            "-mode is '%s'; it takes one of %s".formatted(name, String.join(", ", modes.keySet())));
      }
      var options = mode.options().parse(args);
      if (options.helpAsked()) {
        out.print(mode.options().help());
        return 0;
      }
      return mode.body().run(options);
    } catch (BadOptionException e) {
      err.println(e.getMessage());
      return EXIT_BAD_OPTIONS;
    }
  }

  private static boolean asksForHelp(String... args) {
    return Arrays.stream(args).anyMatch(a -> a.matches("--?h(elp)?"));
  }

  /** The mode that the command line names; the last one counts. Null when it names none. */
  private static String modeOf(String... args) {
    String mode = null;
    for (int i = 0; i < args.length; i++) {
      if (args[i].matches("--?mode=.*")) {
        mode = args[i].substring(args[i].indexOf('=') + 1);
      } else if (args[i].matches("--?mode")) {
        if (i + 1 == args.length) {
          throw new BadOptionException("-mode has no value; it takes the name of a mode");
        }
        mode = args[i + 1];
      }
    }
    return mode;
  }
}
