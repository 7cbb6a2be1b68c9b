package dev.queencell.cell.sample;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ControlGroupsTest {
  private static final String GROUP = "cell/broker";

  @TempDir private Path root;

  @Test
  void version1NanosecondsAndVersion2MicrosecondsGiveTheSameCounters() throws IOException {
    var v1 = new ControlGroups(version1(root.resolve("v1")));
    var v2 = new ControlGroups(version2(root.resolve("v2")));
    var one = v1.usage(GROUP).orElseThrow();
    var two = v2.usage(GROUP).orElseThrow();
    for (var column :
        List.of(
            Usage.CPU_MICROS,
            Usage.THROTTLED_MICROS,
            Usage.PERIODS,
            Usage.THROTTLED_PERIODS,
            Usage.CPU_PRESSURE_MICROS)) {
      assertEquals(one.counters().get(column), two.counters().get(column), column);
    }
    assertEquals(12_345_678, one.counters().get(Usage.CPU_MICROS));
    assertEquals(987_654, one.counters().get(Usage.THROTTLED_MICROS));
    assertEquals(Map.of(Usage.MEMORY_BYTES, 4_096L, Usage.MEMORY_PEAK_BYTES, 8_192L), one.states());
    assertEquals(one.states(), two.states());
    assertEquals("cgroup1", one.source());
    assertEquals("cgroup2", two.source());
  }

  @Test
  void theCapsAreWhatTheKernelShows() throws IOException {
    var v1 = new ControlGroups(version1(root.resolve("v1")));
    var v2 = new ControlGroups(version2(root.resolve("v2")));
    assertEquals(1.5, v1.cpuCap(GROUP).orElseThrow());
    assertEquals(1.5, v2.cpuCap(GROUP).orElseThrow());
    assertEquals(1L << 30, v1.memoryCapBytes(GROUP).orElseThrow());
    assertEquals(1L << 30, v2.memoryCapBytes(GROUP).orElseThrow());
  }

  @Test
  void noCapIsNoNumber() throws IOException {
    var v1Root = version1(root.resolve("v1"));
    write(v1Root.resolve("cpu").resolve(GROUP).resolve("cpu.cfs_quota_us"), "-1");
    write(
        v1Root.resolve("memory").resolve(GROUP).resolve("memory.limit_in_bytes"),
        "9223372036854771712");
    var v2Root = version2(root.resolve("v2"));
    write(v2Root.resolve(GROUP).resolve("cpu.max"), "max 100000");
    write(v2Root.resolve(GROUP).resolve("memory.max"), "max");
    for (var groups : List.of(new ControlGroups(v1Root), new ControlGroups(v2Root))) {
      assertTrue(groups.cpuCap(GROUP).isEmpty());
      assertTrue(groups.memoryCapBytes(GROUP).isEmpty());
    }
  }

  @Test
  void version2AddsTheBytesOfAllDevices() throws IOException {
    var groups = new ControlGroups(version2(root));
    var counters = groups.usage(GROUP).orElseThrow().counters();
    assertEquals(1_010, counters.get(Usage.IO_READ_BYTES));
    assertEquals(2_020, counters.get(Usage.IO_WRITE_BYTES));
    assertEquals(List.of(41L, 42L), groups.processes(GROUP));
  }

  @Test
  void aGroupThatIsNotThereHasNoUsage() throws IOException {
    assertFalse(new ControlGroups(version1(root.resolve("v1"))).usage("cell/proxy").isPresent());
    assertFalse(new ControlGroups(version2(root.resolve("v2"))).usage("cell/proxy").isPresent());
  }

  @Test
  void aGroupThatWasMadeAgainIsAnotherGeneration() throws IOException {
    var groups = new ControlGroups(version2(root));
    var before = groups.usage(GROUP).orElseThrow().generation();
    // The old folder stays under another name, so that its inode can't be given out again.
    Files.move(root.resolve(GROUP), root.resolve("gone"));
    version2(root);
    assertNotEquals(before, groups.usage(GROUP).orElseThrow().generation());
  }

  private static Path version1(Path v1) throws IOException {
    write(v1.resolve("cpuacct").resolve(GROUP).resolve("cpuacct.usage"), "12345678901");
    write(v1.resolve("cpuacct").resolve(GROUP).resolve("cgroup.procs"), "41\n42");
    var cpu = v1.resolve("cpu").resolve(GROUP);
    write(cpu.resolve("cpu.stat"), "nr_periods 500\nnr_throttled 60\nthrottled_time 987654321");
    write(cpu.resolve("cpu.cfs_quota_us"), "150000");
    write(cpu.resolve("cpu.cfs_period_us"), "100000");
    var memory = v1.resolve("memory").resolve(GROUP);
    write(memory.resolve("memory.usage_in_bytes"), "4096");
    write(memory.resolve("memory.max_usage_in_bytes"), "8192");
    write(memory.resolve("memory.limit_in_bytes"), "1073741824");
    pressure(v1.resolve("unified").resolve(GROUP));
    return v1;
  }

  private static Path version2(Path v2) throws IOException {
    write(v2.resolve("cgroup.controllers"), "cpu io memory");
    var folder = v2.resolve(GROUP);
    write(
        folder.resolve("cpu.stat"),
        """
        usage_usec 12345678
        user_usec 12000000
        system_usec 345678
        nr_periods 500
        nr_throttled 60
        throttled_usec 987654""");
    write(folder.resolve("cpu.max"), "150000 100000");
    write(folder.resolve("memory.current"), "4096");
    write(folder.resolve("memory.peak"), "8192");
    write(folder.resolve("memory.max"), "1073741824");
    write(folder.resolve("cgroup.procs"), "41\n42");
    write(
        folder.resolve("io.stat"),
        "8:0 rbytes=1000 wbytes=2000 rios=1 wios=2\n254:0 rbytes=10 wbytes=20 rios=1 wios=1");
    pressure(folder);
    return v2;
  }

  private static void pressure(Path folder) throws IOException {
    write(
        folder.resolve("cpu.pressure"),
        "some avg10=1.00 avg60=0.50 avg300=0.10 total=777\nfull avg10=0.00 total=5");
  }

  private static void write(Path file, String text) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, text + "\n");
  }
}
