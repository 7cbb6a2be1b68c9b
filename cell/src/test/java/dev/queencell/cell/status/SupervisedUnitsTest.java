package dev.queencell.cell.status;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.queencell.cell.home.CellHome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SupervisedUnitsTest {
  @TempDir private Path folder;
  private FakeProc proc;

  @BeforeEach
  void makeFolders() throws IOException {
    Files.createDirectory(folder.resolve("run"));
    proc = new FakeProc(Files.createDirectory(folder.resolve("proc")));
  }

  private void record(String name, String text) throws IOException {
    Files.writeString(folder.resolve("run").resolve(name), text);
  }

  private UnitRun read() {
    return new SupervisedUnits(new CellHome(folder, Map.of()), proc.root()).read("broker");
  }

  @Test
  void aRecordOfALiveProcessIsARunningUnit() throws IOException {
    proc.process(7, "java", 'S', 1, 42);
    record("broker.started", "7 42 1700000000\n");
    record("broker.restarts", "3\n");
    assertEquals(UnitRun.running(7, 3, ""), read());
  }

  @Test
  void aPidThatWasGivenToAYoungerProcessIsNotBelieved() throws IOException {
    proc.process(7, "bash", 'S', 1, 43);
    record("broker.started", "7 42 1700000000\n");
    assertEquals(UnitRun.down(UnitRun.State.DOWN, 0, ""), read());
  }

  @Test
  void aSupervisorWithoutAProcessIsAboutToStartIt() throws IOException {
    proc.process(6, "bash", 'S', 1, 40);
    record("broker.supervisor", "6 40\n");
    record("broker.exit", "status 1 after 0 s\n");
    record("broker.restarts", "2\n");
    assertEquals(UnitRun.restarting(2, 0, "status 1 after 0 s"), read());
    record("broker.wait", "800\n");
    assertEquals(UnitRun.restarting(2, 800, "status 1 after 0 s"), read());
  }

  @Test
  void aRecordedExitWithoutASupervisorIsAnEnd() throws IOException {
    record("broker.exit", "status 0 after 9 s\n");
    assertEquals(UnitRun.State.FAILED, read().state());
  }

  @Test
  void aFileThatIsStillEmptyAndNoFileAtAllReadAlike() throws IOException {
    record("broker.started", "");
    record("broker.restarts", "");
    assertEquals(UnitRun.down(UnitRun.State.DOWN, 0, ""), read());
  }
}
