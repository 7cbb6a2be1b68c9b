package dev.queencell.cell.cgroup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.queencell.cell.process.OrphanGuard;
import dev.queencell.cell.process.ServiceUser;
import dev.queencell.cell.process.Signal;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** On this machine's own kernel, where it lets us; the reason for a skip is printed. */
class RealCgroupsIT {
  private static final long MIB = 1L << 20;
  private static final long DEADLINE_MS = 30_000;
  private static final String CELL = "queencell-it-" + ProcessHandle.current().pid();

  private final List<Process> started = new ArrayList<>();
  private Cgroups cgroups;

  @BeforeEach
  void requireCgroups() {
    var detection = Detection.here();
    assumeTrue(detection.cgroups().isPresent(), detection::reason);
    cgroups = detection.cgroups().get();
  }

  @AfterEach
  void removeCell() throws InterruptedException {
    for (var process : started) {
      process.destroyForcibly().waitFor();
    }
    if (cgroups != null && cgroups.exists(CELL)) {
      for (var child : cgroups.children(CELL)) {
        // A shell that was killed leaves the rest of its pipeline behind.
        Signal.KILL.send(cgroups.processes(CELL + "/" + child));
        await(() -> cgroups.processes(CELL + "/" + child).isEmpty());
      }
      cgroups.remove(CELL);
    }
  }

  @Test
  void aBusyLoopIsHeldBackByItsParentsCapAndBilledToItsOwnGroup() throws IOException {
    cgroups.create(CELL, List.of("broker", "pg"), new Caps(0.2, 256 * MIB));
    assertEquals(new Caps(0.2, 256 * MIB), cgroups.caps(CELL));
    var loop = start("while :; do :; done");
    cgroups.add(CELL + "/broker", loop.pid());
    assertEquals(List.of(loop.pid()), cgroups.processes(CELL + "/broker"));

    await(() -> cgroups.usage(CELL).throttledPeriods().orElse(0) >= 5);

    var cell = cgroups.usage(CELL);
    assertTrue(cell.throttledMicros().orElse(0) > 0, cell::toString);
    assertTrue(cell.cpuMicros().orElse(0) > 0, cell::toString);
    assertEquals(0, cgroups.usage(CELL + "/broker").throttledPeriods().orElse(0));
    assertTrue(cgroups.usage(CELL + "/broker").cpuMicros().orElse(0) > 0);
    assertEquals(0, cgroups.usage(CELL + "/pg").cpuMicros().orElse(-1));

    cgroups.cap(CELL, Caps.NONE);
    long periods = cgroups.usage(CELL).throttledPeriods().orElse(0);
    long cpuMicros = cgroups.usage(CELL).cpuMicros().orElse(0);
    await(() -> cgroups.usage(CELL).cpuMicros().orElse(0) > cpuMicros + 300_000);
    // The period that ran when the cap went may still be counted.
    assertTrue(cgroups.usage(CELL).throttledPeriods().orElse(0) <= periods + 1);
  }

  @Test
  void aProcessThatTakesMoreThanTheCellsMemoryIsEndedAndCounted() throws Exception {
    cgroups.create(CELL, List.of("broker"), new Caps(0, 32 * MIB));
    var hungry = start("read -r go; x=$(head -c 200000000 /dev/zero | tr '\\0' x); echo ${#x}");
    cgroups.add(CELL + "/broker", hungry.pid());
    hungry.outputWriter().write("go\n");
    hungry.outputWriter().close();

    assertTrue(hungry.waitFor(DEADLINE_MS, TimeUnit.MILLISECONDS));

    await(() -> cgroups.usage(CELL).oomKills().orElse(0) >= 1);
    assertTrue(cgroups.usage(CELL).memoryPeakBytes().orElse(0) <= 32 * MIB);
  }

  @Test
  void aCellIsRemovedOnceItsProcessesAreGone() throws Exception {
    cgroups.create(CELL, List.of("broker"), Caps.NONE);
    var idle = start("read -r go");
    cgroups.add(CELL + "/broker", idle.pid());
    assertThrows(IllegalStateException.class, () -> cgroups.remove(CELL));
    idle.outputWriter().close();
    assertTrue(idle.waitFor(DEADLINE_MS, TimeUnit.MILLISECONDS));
    cgroups.remove(CELL);
    assertFalse(cgroups.exists(CELL));
  }

  private Process start(String script) throws IOException {
    var process =
        new ProcessBuilder("/bin/sh", "-c", script)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    started.add(process);
    // A killed test must not leave a busy loop behind.
    var guard =
        OrphanGuard.start(
            new ServiceUser(Optional.empty()),
            "kill -KILL \"$1\"\n",
            List.of(Long.toString(process.pid())));
    var _ = process.onExit().thenRun(guard::dismiss);
    return process;
  }

  private static void await(BooleanSupplier condition) {
    long deadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(DEADLINE_MS);
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() - deadlineNanos < 0, "not within the deadline");
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
    }
  }
}
