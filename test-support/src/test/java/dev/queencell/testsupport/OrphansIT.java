package dev.queencell.testsupport;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OrphansIT {
  private static final Pattern STARTED = Pattern.compile("postmaster (\\d+) in (\\S+)");
  private static final Duration DEADLINE = Duration.ofSeconds(60);

  @ParameterizedTest
  @ValueSource(strings = {"running", "paused"})
  void aKilledJvmLeavesNoPostgresProcessAndNoData(String state) {
    try (var owner = JavaProcess.ofClass(PostgresOwner.class.getName()).argument(state).start()) {
      var started = match(owner);
      long postmaster = Long.parseLong(started.group(1));
      var folder = Path.of(started.group(2));
      var children = runningChildren(postmaster);
      assertTrue(children.size() >= 3, () -> "a server has several processes, not " + children);

      owner.kill9();

      Await.until("the postmaster is gone", () -> !isRunning(postmaster));
      for (long child : children) {
        Await.until("child " + child + " is gone", () -> !isRunning(child));
      }
      Await.until("the data is gone", () -> !Files.exists(folder));
    }
  }

  @Test
  void aChildOfAKilledJvmEndsWithIt() {
    try (var parent = JavaProcess.ofClass(ParentOfAProcess.class.getName()).start()) {
      var line = parent.awaitLine(Pattern.compile("child \\d+"), DEADLINE);
      long child = Long.parseLong(line.substring("child ".length()));
      assertTrue(isRunning(child));

      parent.kill9();

      Await.until("the child is gone", () -> !isRunning(child));
    }
  }

  private static Matcher match(JavaProcess owner) {
    var matcher = STARTED.matcher(owner.awaitLine(STARTED, DEADLINE));
    assertTrue(matcher.find());
    return matcher;
  }

  private static List<Long> runningChildren(long pid) {
    return ProcessHandle.of(pid).orElseThrow().children().map(ProcessHandle::pid).toList();
  }

  /** A process that nobody has collected yet (state Z) runs no more. */
  private static boolean isRunning(long pid) {
    try {
      return Files.readAllLines(Path.of("/proc/" + pid + "/status")).stream()
          .filter(line -> line.startsWith("State:"))
          .noneMatch(line -> line.contains("Z (zombie)") || line.contains("X (dead)"));
    } catch (java.nio.file.NoSuchFileException e) {
      return false;
    } catch (IOException e) {
      if (e.getMessage() != null && e.getMessage().contains("No such process")) {
        return false;
      }
      throw new UncheckedIOException(e);
    }
  }
}
