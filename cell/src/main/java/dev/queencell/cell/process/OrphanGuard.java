package dev.queencell.cell.process;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Cleans up after this JVM when it can't do so itself, because it was killed. A small shell, in a
 * session of its own, waits on a pipe whose other end only this JVM holds; when the pipe closes
 * without a word, it runs the clean-up and ends. A dismissed guard does nothing.
 *
 * <p>The clean-up runs as the given user, so that it can reach no more than what it guards.
 */
public final class OrphanGuard {
  /** Ignores what a terminal sends to a whole group: the guard must outlive its parent. */
  private static final String WAIT =
      "trap '' INT HUP TERM; if read -r dismissed; then exit 0; fi\n";

  private final Process shell;
  private final OutputStream pipe;

  private OrphanGuard(Process shell) {
    this.shell = shell;
    this.pipe = shell.getOutputStream();
  }

  /**
   * Starts guarding.
   *
   * @param script POSIX shell text, run when this JVM is gone
   * @param arguments its {@code $1}, {@code $2}, …
   */
  public static OrphanGuard start(ServiceUser user, String script, List<String> arguments) {
    var command =
        new ArrayList<>(List.of("setsid", "/bin/sh", "-c", WAIT + script, "orphan-guard"));
    command.addAll(arguments);
    try {
      return new OrphanGuard(
          new ProcessBuilder(user.wrap(command))
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start());
    } catch (IOException e) {
      throw new IllegalStateException("can't start the orphan guard: " + e, e);
    }
  }

  /** Ends the guard without a clean-up. Calling it again changes nothing. */
  public void dismiss() {
    try {
      pipe.write("dismissed\n".getBytes(StandardCharsets.US_ASCII));
      pipe.close();
    } catch (IOException e) {
      // It has ended already: then there is nothing to dismiss.
    }
  }

  /** The guard's process, for tests. */
  long pid() {
    return shell.pid();
  }
}
