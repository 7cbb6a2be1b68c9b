package dev.queencell.loader.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CgroupTest {
  @TempDir private Path root;

  private void file(String path, String text) throws IOException {
    Files.createDirectories(root.resolve(path).getParent());
    Files.writeString(root.resolve(path), text + "\n");
  }

  @Test
  void versionTwoTakesTheTightestLimitOfAllLevels() throws IOException {
    file("a/cpu.max", "150000 100000");
    file("a/memory.max", "4294967296");
    file("a/b/cpu.max", "max 100000");
    file("a/b/memory.max", "max");
    assertEquals(new Cgroup("/a/b", 1.5, 4_294_967_296L), Cgroup.of(List.of("0::/a/b"), root));
  }

  @Test
  void versionOneReadsEachControllersOwnTree() throws IOException {
    file("cpu/x/cpu.cfs_quota_us", "50000");
    file("cpu/x/cpu.cfs_period_us", "100000");
    file("memory/y/memory.limit_in_bytes", "1073741824");
    assertEquals(
        new Cgroup("/x", 0.5, 1_073_741_824L),
        Cgroup.of(List.of("4:memory:/y", "3:cpu,cpuacct:/x", "0::/"), root));
  }

  @Test
  void noLimitIsNull() throws IOException {
    file("cpu/cpu.cfs_quota_us", "-1");
    file("memory/memory.limit_in_bytes", "9223372036854771712");
    var cgroup = Cgroup.of(List.of("3:cpu:/", "4:memory:/"), root);
    assertNull(cgroup.cpuCores());
    assertNull(cgroup.memoryBytes());
  }
}
