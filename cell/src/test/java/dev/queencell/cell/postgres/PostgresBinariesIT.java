package dev.queencell.cell.postgres;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PostgresBinariesIT {
  @TempDir private Path cache;

  @Test
  void twoThatInstallAtOnceGetTheSameWholeInstallation() throws Exception {
    var abandoned = Files.createDirectory(cache.resolve(".unpacking-abandoned"));
    Files.setLastModifiedTime(abandoned, FileTime.from(Instant.now().minus(Duration.ofDays(1))));
    Callable<PostgresBinaries> install = () -> PostgresBinaries.install(cache);
    var installed = new HashSet<PostgresBinaries>();
    try (var pool = Executors.newFixedThreadPool(2)) {
      for (var future : java.util.List.of(pool.submit(install), pool.submit(install))) {
        installed.add(get(future));
      }
    }
    assertEquals(1, installed.size());
    var binaries = installed.iterator().next();
    assertEquals(18, binaries.major());
    assertEquals(
        Set.of(binaries.bin().getParent().getFileName().toString()), names(cache), "no left-overs");
    assertOpenToAll(cache);
  }

  @Test
  void anotherKindOfMachineIsRefusedWithTheKindsThereAre() {
    assertEquals("arm_64", PostgresBinaries.machineKind("Linux", "aarch64"));
    var refusal =
        assertThrows(
            IllegalStateException.class, () -> PostgresBinaries.machineKind("Linux", "riscv64"));
    assertEquals(
        "no PostgreSQL binaries for Linux on riscv64;"
            + " there are some for linux on amd64 and aarch64",
        refusal.getMessage());
    assertThrows(
        IllegalStateException.class, () -> PostgresBinaries.machineKind("Windows 11", "amd64"));
  }

  private static PostgresBinaries get(java.util.concurrent.Future<PostgresBinaries> future)
      throws InterruptedException, ExecutionException {
    return future.get();
  }

  private static Set<String> names(Path folder) throws IOException {
    var names = new HashSet<String>();
    try (var entries = Files.newDirectoryStream(folder)) {
      entries.forEach(entry -> names.add(entry.getFileName().toString()));
    }
    return names;
  }

  /** The server's user is not the installer where root installs. */
  private static void assertOpenToAll(Path folder) throws IOException {
    try (var files = Files.walk(folder)) {
      for (var file : files.filter(path -> !path.equals(folder)).toList()) {
        var permissions = Files.getPosixFilePermissions(file);
        assertTrue(permissions.contains(PosixFilePermission.OTHERS_READ), file::toString);
        if (Files.isDirectory(file)) {
          assertTrue(permissions.contains(PosixFilePermission.OTHERS_EXECUTE), file::toString);
        }
      }
    }
  }
}
