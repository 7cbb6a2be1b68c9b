package dev.queencell.loader.pipeline;

import dev.queencell.loader.account.StageAccount;
import dev.queencell.loader.measure.Reason;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Every delivery of one stage in the order of its arrival, a line each: {@code PROPERTY SEQUENCE}.
 * A disk that can't take it is remembered and costs the run nothing else, since the run's own
 * account is kept in memory. Thread-safe.
 */
final class StageLog implements AutoCloseable {
  private final BufferedWriter out;
  private String problem = "";

  StageLog(Path directory, String stage) throws IOException {
    out = Files.newBufferedWriter(file(directory, stage));
  }

  private static Path file(Path directory, String stage) {
    return directory.resolve(stage + ".log");
  }

  synchronized void delivered(int property, long sequence) {
    if (!problem.isEmpty()) {
      return;
    }
    try {
      out.write(property + " " + sequence + "\n");
    } catch (IOException e) {
      problem = Reason.of(e);
    }
  }

  @Override
  public synchronized void close() {
    try {
      out.close();
    } catch (IOException e) {
      problem = Reason.of(e);
    }
  }

  /** Why it is incomplete; empty when it isn't. */
  synchronized String problem() {
    return problem;
  }

  /** Reads a log into an account, line by line: its length doesn't matter. */
  static StageAccount read(Path directory, String stage, int properties) throws IOException {
    var account = new StageAccount(properties);
    var file = file(directory, stage);
    try (BufferedReader in = Files.newBufferedReader(file)) {
      long number = 0;
      for (var line = in.readLine(); line != null; line = in.readLine()) {
        number++;
        int space = line.indexOf(' ');
        try {
          long property = Long.parseLong(line, 0, Math.max(0, space), 10);
          long sequence = Long.parseLong(line, space + 1, line.length(), 10);
          if (!account.accepts(property, sequence)) {
            throw new NumberFormatException("out of range");
          }
          account.deliver((int) property, sequence);
        } catch (NumberFormatException | IndexOutOfBoundsException e) {
          throw new IOException(
              "%s line %d is '%s'; it takes a property and a sequence"
                  .formatted(file, number, line.substring(0, Math.min(60, line.length()))),
              e);
        }
      }
    } catch (MalformedInputException e) {
      throw new IOException(file + " is no text", e);
    }
    return account;
  }
}
