package dev.queencell.cell.process;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** A signal of the operating system, sent through the shell's own {@code kill}. */
public enum Signal {
  /** Ends a process at once; it can't be caught. */
  KILL,
  /** Asks a process to stop in its normal way. */
  TERM,
  /** PostgreSQL: fast shutdown. */
  INT,
  /** PostgreSQL: immediate shutdown. */
  QUIT,
  /** Freezes a process. */
  STOP,
  /** Lets a frozen process go on. */
  CONT;

  /**
   * Sends the signal to each of the processes; one that is already gone is no failure.
   *
   * @throws IllegalArgumentException for a pid below 2: no caller here means init or a process
   *     group
   */
  public void send(Collection<Long> pids) {
    if (pids.isEmpty()) {
      return;
    }
    var command = new ArrayList<>(List.of("/bin/sh", "-c", "kill -" + name() + " \"$@\"", "sh"));
    for (long pid : pids) {
      if (pid < 2) {
        throw new IllegalArgumentException("pid is " + pid + "; it takes one above 1");
      }
      command.add(Long.toString(pid));
    }
    try {
      new ProcessBuilder(command)
          .redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .start()
          .waitFor();
    } catch (IOException e) {
      throw new IllegalStateException("can't send " + name() + " to " + pids, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while sending " + name(), e);
    }
  }

  /** Sends the signal to one process. */
  public void send(long pid) {
    send(List.of(pid));
  }
}
