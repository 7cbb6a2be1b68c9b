package dev.queencell.cell.cgroup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CgroupsV2Test {
  private static final long GIB = 1L << 30;

  @TempDir private Path root;

  private Detection detect(String controllers, boolean isContainer) throws IOException {
    var kernel = new FakeKernel(root, false);
    return Detection.of(kernel.mountV2(controllers, isContainer), kernel, 1);
  }

  private Cgroups cgroups() throws IOException {
    var detection = detect("cpuset cpu io memory pids", false);
    return detection.cgroups().orElseThrow(() -> new AssertionError(detection.reason()));
  }

  @Test
  void controllersAreHandedDownToTheChildrenAndTheParentIsCapped() throws IOException {
    var cgroups = cgroups();
    cgroups.create("queencell", List.of("pg"), new Caps(0.5, GIB));
    assertEquals("50000 100000", line("queencell/cpu.max"));
    assertEquals(Long.toString(GIB), line("queencell/memory.max"));
    assertEquals("0", line("queencell/memory.swap.max"));
    assertEquals("cpu io memory pids", line("queencell/pg/cgroup.controllers"));
    assertEquals("", line("queencell/pg/cgroup.subtree_control"));
    assertEquals(new Caps(0.5, GIB), cgroups.caps("queencell"));
    assertEquals(Caps.NONE, cgroups.caps("queencell/pg"));
  }

  @Test
  void capsCanBeTakenAwayAndPutBack() throws IOException {
    var cgroups = cgroups();
    cgroups.create("queencell", List.of("pg"), new Caps(1, GIB));
    cgroups.cap("queencell", Caps.NONE);
    assertEquals("max", line("queencell/memory.swap.max"));
    assertEquals(Caps.NONE, cgroups.caps("queencell"));
    cgroups.cap("queencell", new Caps(3, 0));
    assertEquals(new Caps(3, 0), cgroups.caps("queencell"));
  }

  @Test
  void aGroupWithoutTheControllersHasNoCapOfItsOwn() throws IOException {
    var cgroups = cgroups();
    cgroups.create("queencell", List.of("pg"), new Caps(1, GIB));
    Files.delete(root.resolve("v2/queencell/pg/cpu.max"));
    Files.delete(root.resolve("v2/queencell/pg/memory.max"));
    assertEquals(Caps.NONE, cgroups.caps("queencell/pg"));
  }

  @Test
  void aProcessIsPutIntoOneFile() throws IOException {
    var cgroups = cgroups();
    cgroups.create("queencell", List.of("pg"), Caps.NONE);
    cgroups.add("queencell/pg", 4711);
    assertEquals(List.of(4711L), cgroups.processes("queencell/pg"));
    assertEquals(1, cgroups.joinFiles("queencell/pg").size());
  }

  @Test
  void usageIsReadWithPressure() throws IOException {
    var cgroups = cgroups();
    cgroups.create("queencell", List.of("pg"), new Caps(1, GIB));
    set("cpu.stat", "usage_usec 900\nnr_periods 4\nnr_throttled 2\nthrottled_usec 70\n");
    set("memory.current", "1000\n");
    set("memory.peak", "2000\n");
    set("memory.events", "low 0\nhigh 0\nmax 5\noom 1\noom_kill 1\n");
    set(
        "io.stat",
        "8:0 rbytes=10 wbytes=20 rios=1 wios=1 dbytes=0 dios=0\n8:16 rbytes=1 wbytes=2\n");
    set(
        "cpu.pressure",
        "some avg10=0.00 avg60=0.00 avg300=0.00 total=55\nfull avg10=0.00 avg60=0 avg300=0 total=7\n");
    assertEquals(
        new GroupUsage(
            OptionalLong.of(900),
            OptionalLong.of(70),
            OptionalLong.of(4),
            OptionalLong.of(2),
            OptionalLong.of(1000),
            OptionalLong.of(2000),
            OptionalLong.of(1),
            OptionalLong.of(11),
            OptionalLong.of(22),
            Map.of("cpu", 55L)),
        cgroups.usage("queencell"));
  }

  @Test
  void aContainerWhoseTopHoldsProcessesCanNotBeUsedAndTheReasonIsTold() throws IOException {
    var kernel = new FakeKernel(root, false);
    var mounts = kernel.mountV2("cpu memory", true);
    Files.writeString(root.resolve("v2/cgroup.procs"), "1\n");
    var detection = Detection.of(mounts, kernel, 1);
    assertTrue(detection.cgroups().isEmpty());
    assertTrue(
        detection.reason().contains("processes sit in " + root.resolve("v2") + " itself"),
        detection::reason);
    assertFalse(Files.exists(root.resolve("v2/queencell-probe-1")));
  }

  @Test
  void withoutTheMemoryControllerThereIsNoCapAndThatIsSaid() throws IOException {
    var detection = detect("cpu pids", false);
    assertTrue(detection.cgroups().isEmpty());
    assertTrue(
        detection.reason().contains("controller memory is not available"), detection::reason);
  }

  @Test
  void beside1ItHasNoControllersAndIsNotMistakenForTheOneToUse() throws IOException {
    var detection = detect("", false);
    assertEquals("cgroup v2 is mounted without the cpu controller", detection.reason());
  }

  private String line(String file) {
    return ControlFile.firstLine(root.resolve("v2").resolve(file)).strip();
  }

  private void set(String file, String text) throws IOException {
    FakeKernel.set(root.resolve("v2/queencell").resolve(file), text);
  }
}
