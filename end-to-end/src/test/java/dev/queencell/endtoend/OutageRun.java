package dev.queencell.endtoend;

import dev.queencell.testsupport.JavaProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The tenant state away for as long as it takes, with every setting at its default: a program for
 * whoever has ten minutes, not a test. It prints what keeps working meanwhile, what the proxy asks
 * the tenant state when it is back, and whether the meter agrees with the loader afterwards.
 *
 * <p>Arguments: {@code frozen} (connections stay open and nothing answers) or {@code killed}, and
 * the length in seconds.
 */
final class OutageRun {
  private static final int TENANTS = 20;
  private static final int RATE = 100;
  private static final int BEFORE_SECONDS = 40;
  private static final int AFTER_SECONDS = 40;
  private static final int ROWS = 20;
  private static final int RECOVERY_SECONDS = 10;
  private static final Duration LOADER_DEADLINE = Duration.ofMinutes(5);

  private final OutageCell outage;
  private final CellProcesses cell;

  private OutageRun(OutageCell outage) {
    this.outage = outage;
    this.cell = outage.cell;
  }

  @SuppressWarnings("SystemOut")
  public static void main(String[] arguments) throws IOException {
    boolean frozen = arguments[0].equals("frozen");
    int seconds = Integer.parseInt(arguments[1]);
    var folder = Files.createTempDirectory("outage");
    System.out.printf(
        "%s: the tenant state is %s for %d s; %d tenants, %d messages/s%n",
        Instant.now(), arguments[0], seconds, TENANTS, RATE);
    try (var outage =
        new OutageCell(folder, TENANTS, Map.of("QUEEN_PROXY_METER_FLUSH_MS", "15000"))) {
      new OutageRun(outage).run(frozen, seconds);
    }
  }

  @SuppressWarnings("SystemOut")
  private void run(boolean frozen, int seconds) {
    var load = outage.load(RATE, BEFORE_SECONDS + seconds + AFTER_SECONDS);
    pause(TimeUnit.SECONDS.toMillis(BEFORE_SECONDS));
    row("before", "");
    if (frozen) {
      cell.state.pause();
    } else {
      cell.state.kill9();
    }
    long startedNs = System.nanoTime();
    for (int i = 1; i <= ROWS; i++) {
      if (i == ROWS / 2) {
        stopProxy();
        cell.startProxy();
        System.out.println("  the proxy was stopped (SIGTERM) and started again");
      }
      long sinceNs = System.nanoTime() - startedNs;
      pause(seconds * 1000L * i / ROWS - TimeUnit.NANOSECONDS.toMillis(sinceNs) - 200);
      row("away", TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startedNs) + " s");
    }
    long before = requests();
    if (frozen) {
      cell.state.resume();
    } else {
      cell.startState();
    }
    System.out.printf(
        "back after %.1f s%nrequests to the tenant state, second by second:",
        (System.nanoTime() - startedNs) / 1e9);
    for (int second = 1; second <= RECOVERY_SECONDS; second++) {
      pause(1000);
      long now = requests();
      System.out.print(" " + (now - before));
      before = now;
    }
    System.out.println();
    row("after", "");
    judge(load);
  }

  @SuppressWarnings("SystemOut")
  private void judge(JavaProcess load) {
    int code = load.exitCode(LOADER_DEADLINE);
    load.output().stream()
        .filter(
            line -> line.startsWith("PASS") || line.startsWith("FAIL") || line.contains("missing"))
        .forEach(System.out::println);
    System.out.println("the loader's exit status is " + code);
    stopProxy();
    System.out.println("usage that is still on disk: " + cell.spooled());
    System.out.println("metered in all: " + outage.total());
    var differences = outage.differences();
    System.out.println("tenants whose metered totals differ: " + differences.size());
    differences.forEach(System.out::println);
  }

  @SuppressWarnings("SystemOut")
  private void row(String when, String since) {
    System.out.printf(
        "%-6s %6s  known %d  unknown key %d  suspended %d  blocked %d  used up %d"
            + "  batches waiting %d  requests to the tenant state %d, unanswered %d%n",
        when,
        since,
        outage.push("known"),
        outage.pushUnknown("known"),
        outage.push("suspended"),
        outage.push("blocked"),
        outage.push("used-up"),
        cell.proxyMetric("usage_batches_waiting"),
        requests(),
        cell.proxyMetric("state_requests_failed"));
  }

  private long requests() {
    return cell.proxyMetric("state_requests");
  }

  private void stopProxy() {
    cell.proxy.terminate();
    cell.proxy.exitCode(LOADER_DEADLINE);
  }

  /** Time is what this program measures by; it waits for nothing that could be noticed. */
  private static void pause(long ms) {
    if (ms > 0) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(ms));
    }
  }
}
