package dev.queencell.cell.status;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessStatTest {
  @TempDir private Path root;
  private FakeProc proc;

  @BeforeEach
  void makeProc() {
    proc = new FakeProc(root);
  }

  @Test
  void timesOfTheProcessAndOfItsEndedChildrenAreAddedUp() throws IOException {
    proc.process(7, "postgres", 'S', 100, 5000);
    assertEquals(Optional.of(new ProcessStat(7, 5000, 1500)), ProcessStat.read(root, 7));
    assertEquals(15_000_000, ProcessStat.read(root, 7).orElseThrow().cpuMicros());
  }

  @Test
  void aCommandMayHaveBlanksAndBracketsInItsName() throws IOException {
    proc.process(7, "a) S (b", 'R', 1, 42);
    assertEquals(42, ProcessStat.read(root, 7).orElseThrow().startTicks());
  }

  @Test
  void aZombieAndAGoneProcessAreNotThere() throws IOException {
    proc.process(7, "java", 'Z', 1, 42);
    assertTrue(ProcessStat.read(root, 7).isEmpty());
    assertTrue(ProcessStat.read(root, 8).isEmpty());
  }

  @Test
  void uptimeIsTheMachinesLessTheStart() {
    assertEquals(58_000, new ProcessStat(7, 4200, 0).uptimeMs(100_000));
    assertEquals(0, new ProcessStat(7, 4200, 0).uptimeMs(41_999));
  }

  @Test
  void thisVeryProcessReadsFromTheKernel() {
    long pid = ProcessHandle.current().pid();
    var stat = ProcessStat.read(Path.of("/proc"), pid).orElseThrow();
    assertTrue(stat.cpuMicros() > 0 && stat.startTicks() > 0, stat.toString());
    assertTrue(ProcessTree.read(Path.of("/proc"), pid).residentBytes() > 10 << 20);
  }
}
