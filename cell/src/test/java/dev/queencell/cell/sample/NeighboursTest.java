package dev.queencell.cell.sample;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.cell.home.CellHome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A machine of two CPUs, looked at twice, two seconds apart: 400 ticks of CPU time in all. */
class NeighboursTest {
  private static final long BROKER = 20;
  private static final long POINT = 100;
  private static final long STRANGER = 300;

  @TempDir private Path folder;
  private FakeMachine machine;
  private SampledCell cell;

  @BeforeEach
  void aCellAndAPoint() throws IOException {
    machine = new FakeMachine(folder.resolve("proc"));
    Files.createDirectories(folder.resolve("home/run"));
    Files.writeString(folder.resolve("home/cell.env"), "QUEENCELL_CAP='none'\n");
    Files.writeString(folder.resolve("home/run/broker.pid"), BROKER + "\n");
    cell = new SampledCell(CellHome.read(folder.resolve("home")));
    machine.machine(1_000, 0, 50_000);
    machine.process(BROKER, 1, 500, 10);
    machine.process(POINT, 1, 1, 900);
    machine.arguments(POINT, "bash", "/kit/runpt.sh", "out", "p1");
  }

  private Neighbours.Look look(long second) {
    return Neighbours.look(
        machine.proc(), cell, Groups.NONE, POINT, TimeUnit.SECONDS.toNanos(second));
  }

  private static Neighbours between(Neighbours.Look before, Neighbours.Look after) {
    return Neighbours.between(before, after, 2, POINT);
  }

  @Test
  void whatTheCellAndThePointItselfUseDisturbsNobody() throws IOException {
    var before = look(0);
    machine.process(BROKER, 1, 650, 10);
    machine.process(POINT, 1, 1, 100, 900);
    machine.process(101, POINT, 60, 950);
    machine.machine(1_000 + 150 + 160 + 20, 0, 50_070);
    var seen = between(before, look(2));
    assertTrue(seen.isQuiet(), seen::text);
    assertEquals("quiet: others use 0.10 of 2 CPUs", seen.text());
  }

  @Test
  void aBusyStrangerIsRefusedByNameAndItsChildrensPastIsNotItsPresent() throws IOException {
    machine.process(STRANGER, 1, 40, 100);
    var before = look(0);
    machine.process(STRANGER, 1, 160, 9_000, 100);
    machine.process(301, STRANGER, 30, 2_000);
    machine.machine(1_150, 0, 50_250);
    var seen = between(before, look(2));
    assertFalse(seen.isQuiet());
    assertEquals(
        "the machine is not quiet enough to measure: others use 0.75 of its 2 CPUs, over 0.20"
            + " (a) (b c 300: 0.60, a) (b c 301: 0.15)",
        seen.text());
    var json = seen.json(true);
    assertTrue(json.path("forced").asBoolean());
    assertEquals(0.75, json.path("othersCpus").asDouble());
    assertEquals(300, json.path("busiest").path(0).path("pid").asLong());
  }

  @Test
  void timeThatNobodyHereUsedCountsToo() throws IOException {
    var before = look(0);
    machine.machine(1_020, 40, 50_340);
    var seen = between(before, look(2));
    assertEquals(
        "the machine is not quiet enough to measure: others use 0.30 of its 2 CPUs, over 0.20"
            + " (no process that can be seen from here)",
        seen.text());
  }

  @Test
  void aPointOfAnotherCellThatBeganEarlierIsRefusedAndALaterOneIsNot() throws IOException {
    machine.process(STRANGER, 1, 0, 800);
    machine.arguments(STRANGER, "bash", "./runpt.sh", "--home", "/b", "out", "p2");
    machine.process(301, STRANGER, 0, 801);
    machine.arguments(301, "bash", "./runpt.sh", "--home", "/b", "out", "p2");
    var seen = between(look(0), look(2));
    assertEquals(
        "another point runs on this machine and would disturb this one"
            + " (process 300: bash ./runpt.sh --home /b out p2)",
        seen.text());
    assertEquals(1, seen.json(false).path("otherPoints").size());
    machine.process(STRANGER, 1, 0, 901);
    machine.process(301, STRANGER, 0, 902);
    assertTrue(between(look(0), look(2)).isQuiet());
  }

  @Test
  void whoOnlyReadsOrEditsTheScriptIsNoPoint() throws IOException {
    machine.process(STRANGER, 1, 0, 800);
    machine.arguments(STRANGER, "vi", "runpt.sh");
    assertTrue(between(look(0), look(2)).isQuiet());
  }

  @Test
  void aQuietMachineIsNotForced() {
    assertFalse(between(look(0), look(2)).json(true).path("forced").asBoolean());
  }
}
