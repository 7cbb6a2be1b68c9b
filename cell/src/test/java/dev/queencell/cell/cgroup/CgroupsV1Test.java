package dev.queencell.cell.cgroup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CgroupsV1Test {
  private static final long GIB = 1L << 30;
  private static final List<String> CHILDREN = List.of("broker", "pg");

  @TempDir private Path root;

  private Cgroups separate(boolean withSwap) throws IOException {
    var kernel = new FakeKernel(root, withSwap);
    var mounts = kernel.mountV1("cpu", "cpuacct", "memory", "pids", "blkio");
    return detected(mounts, kernel);
  }

  private static Cgroups detected(Path mounts, Kernel kernel) {
    var detection = Detection.of(mounts, kernel, 1);
    return detection.cgroups().orElseThrow(() -> new AssertionError(detection.reason()));
  }

  @Test
  void theProbeLeavesNothing() throws IOException {
    separate(true);
    try (var left = Files.walk(root)) {
      assertTrue(left.noneMatch(path -> path.toString().contains("probe")));
    }
  }

  @Test
  void theParentIsCappedInEachHierarchyAndTheChildrenAreNot() throws IOException {
    var cgroups = separate(false);
    cgroups.create("queencell", CHILDREN, new Caps(1.5, 4 * GIB));
    assertEquals("150000", ControlFile.firstLine(root.resolve("cpu/queencell/cpu.cfs_quota_us")));
    assertEquals(new Caps(1.5, 4 * GIB), cgroups.caps("queencell"));
    assertEquals(Caps.NONE, cgroups.caps("queencell/broker"));
    assertEquals(CHILDREN, cgroups.children("queencell"));
  }

  @Test
  void aGroupThatAHierarchyDoesNotHaveIsNotCappedByIt() throws IOException {
    assertEquals(Caps.NONE, separate(false).caps("system.slice"));
  }

  @Test
  void aProcessIsPutIntoEveryHierarchy() throws IOException {
    var cgroups = separate(false);
    cgroups.create("queencell", CHILDREN, Caps.NONE);
    cgroups.add("queencell/pg", 4711);
    for (var hierarchy : List.of("cpu", "cpuacct", "memory", "pids", "blkio")) {
      var file = root.resolve(hierarchy).resolve("queencell/pg/cgroup.procs");
      assertEquals(List.of("4711"), Files.readAllLines(file), hierarchy);
    }
    assertEquals(List.of(4711L), cgroups.processes("queencell/pg"));
  }

  @Test
  void controllersThatShareAHierarchyAreJoinedOnce() throws IOException {
    var kernel = new FakeKernel(root, false);
    var cgroups = detected(kernel.mountV1("cpu,cpuacct", "memory"), kernel);
    cgroups.create("queencell", CHILDREN, new Caps(1, GIB));
    assertEquals(2, cgroups.joinFiles("queencell/pg").size());
    assertEquals(new Caps(1, GIB), cgroups.caps("queencell"));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void capsMoveUpAndDownAndAwayWithOrWithoutSwapAccounting(boolean withSwap) throws IOException {
    var cgroups = separate(withSwap);
    cgroups.create("queencell", CHILDREN, new Caps(2, 2 * GIB));
    for (var caps :
        List.of(new Caps(2, 8 * GIB), new Caps(0.5, GIB), Caps.NONE, new Caps(0, GIB))) {
      cgroups.cap("queencell", caps);
      assertEquals(caps, cgroups.caps("queencell"));
    }
    if (withSwap) {
      assertEquals(
          Long.toString(GIB),
          ControlFile.firstLine(root.resolve("memory/queencell/memory.memsw.limit_in_bytes")));
      assertEquals(
          "1", ControlFile.firstLine(root.resolve("memory/queencell/memory.use_hierarchy")));
    }
  }

  @Test
  void aCapThatTheKernelDoesNotKeepIsAnError() throws IOException {
    var fake = new FakeKernel(root, false);
    var deaf =
        new Kernel() {
          @Override
          public void makeGroup(Path folder) throws IOException {
            fake.makeGroup(folder);
          }

          @Override
          public void removeGroup(Path folder) throws IOException {
            fake.removeGroup(folder);
          }

          @Override
          public void write(Path file, String line) {}
        };
    var detection = Detection.of(fake.mountV1("cpu", "cpuacct", "memory"), deaf, 1);
    assertEquals(Optional.empty(), detection.cgroups());
    assertTrue(detection.reason().contains("instead of"), detection::reason);
  }

  @Test
  void usageIsReadInMicrosecondsAndBytesAndKillsAreSummedOverTheChildren() throws IOException {
    var cgroups = separate(false);
    cgroups.create("queencell", CHILDREN, new Caps(1, GIB));
    set("cpuacct/queencell/cpuacct.usage", "2500000999");
    set("cpu/queencell/cpu.stat", "nr_periods 40\nnr_throttled 10\nthrottled_time 7000999\n");
    set("memory/queencell/memory.usage_in_bytes", "1000");
    set("memory/queencell/memory.max_usage_in_bytes", "2000");
    set("memory/queencell/pg/memory.oom_control", "oom_kill_disable 0\noom_kill 2\n");
    set("memory/queencell/broker/memory.oom_control", "oom_kill_disable 0\noom_kill 1\n");
    set(
        "blkio/queencell/blkio.throttle.io_service_bytes_recursive",
        "8:0 Read 10\n8:0 Write 20\n8:16 Read 1\nTotal 31\n");
    assertEquals(
        new GroupUsage(
            OptionalLong.of(2_500_000),
            OptionalLong.of(7_000),
            OptionalLong.of(40),
            OptionalLong.of(10),
            OptionalLong.of(1000),
            OptionalLong.of(2000),
            OptionalLong.of(3),
            OptionalLong.of(11),
            OptionalLong.of(20),
            Map.of()),
        cgroups.usage("queencell"));
  }

  @Test
  void aCellWithProcessesIsNotRemovedAndTheyAreNamed() throws IOException {
    var cgroups = separate(false);
    cgroups.create("queencell", CHILDREN, Caps.NONE);
    cgroups.add("queencell/pg", 4711);
    var refusal = assertThrows(IllegalStateException.class, () -> cgroups.remove("queencell"));
    assertTrue(refusal.getMessage().endsWith("processes in it: 4711"), refusal::getMessage);
    for (var top : cgroups.tops()) {
      var procs = top.resolve("queencell/pg/cgroup.procs");
      if (Files.exists(procs)) {
        Files.writeString(procs, "");
      }
    }
    cgroups.remove("queencell");
    assertFalse(cgroups.exists("queencell"));
    cgroups.remove("queencell");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"system", "", "queencell/..", "../queencell", "queencell/a/b", "a/queencell"})
  void groupsThatAreNoCellsAreNeverTouched(String name) throws IOException {
    var cgroups = separate(false);
    assertThrows(IllegalArgumentException.class, () -> cgroups.remove(name));
    assertThrows(IllegalArgumentException.class, () -> cgroups.create(name, List.of(), Caps.NONE));
  }

  @Test
  void withoutTheMemoryControllerThereIsNoCapAndThatIsSaid() throws IOException {
    var kernel = new FakeKernel(root, false);
    var detection = Detection.of(kernel.mountV1("cpu", "cpuacct"), kernel, 1);
    assertEquals(new Detection(Optional.empty(), "cgroup v1 is mounted without memory"), detection);
  }

  private void set(String file, String text) throws IOException {
    FakeKernel.set(root.resolve(file), text);
  }
}
