package dev.queencell.cell.status;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.cell.home.CellHome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SystemdUnitsTest {
  private static final CellHome HOME =
      new CellHome(
          Path.of("/srv/cell"),
          Map.of("QUEENCELL_HOME", "/srv/cell", "QUEENCELL_SLICE", "queencell7000"));

  private final List<String> asked = new ArrayList<>();

  private UnitRun read(String shown) {
    return new SystemdUnits(
            HOME,
            arguments -> {
              asked.addAll(arguments);
              return shown;
            })
        .read("broker");
  }

  @Test
  void anActiveUnitRunsWithItsPidAndRestarts() {
    assertEquals(
        UnitRun.running(437, 2, ""),
        read(
            """
            ActiveState=active
            SubState=running
            Description=Queen Cell broker in /srv/cell
            MainPID=437
            NRestarts=2
            """));
    assertTrue(asked.contains("queencell7000-broker.service"), asked.toString());
  }

  @Test
  void aUnitOfTheSameNameThatBelongsToAnotherHomeIsDown() {
    assertEquals(
        UnitRun.down(UnitRun.State.DOWN, 0, ""),
        read(
            """
            ActiveState=active
            Description=Queen Cell broker in /srv/other
            MainPID=437
            """));
  }

  @Test
  void aUnitThatWaitsForItsNextStartIsRestarting() {
    assertEquals(
        UnitRun.restarting(5, 0, ""),
        read(
            """
            ActiveState=activating
            SubState=auto-restart
            Description=Queen Cell broker in /srv/cell
            NRestarts=5
            """));
  }

  @Test
  void aUnitThatTheKitHoldsBackIsRestartingToo() {
    assertEquals(
        UnitRun.restarting(5, 0, ""),
        read(
            """
            ActiveState=activating
            SubState=start-pre
            Description=Queen Cell broker in /srv/cell
            MainPID=0
            NRestarts=5
            """));
  }

  @Test
  void theWaitThatTheKitRecordsIsTold(@TempDir Path folder) throws IOException {
    Files.createDirectory(folder.resolve("run"));
    Files.writeString(folder.resolve("run/broker.wait"), "3200\n");
    var home =
        new CellHome(folder, Map.of("QUEENCELL_HOME", "/srv/cell", "QUEENCELL_SLICE", "queencell"));
    var waiting = "SubState=start-pre\nDescription=Queen Cell broker in /srv/cell\nNRestarts=5\n";
    assertEquals(
        UnitRun.restarting(5, 3200, ""),
        new SystemdUnits(home, arguments -> waiting).read("broker"));
  }

  @Test
  void aFailedUnitHasEndedAndAnUnknownOneIsDown() {
    assertEquals(
        UnitRun.State.FAILED,
        read("ActiveState=failed\nDescription=Queen Cell broker in /srv/cell\n").state());
    assertEquals(UnitRun.State.DOWN, read("ActiveState=inactive\nDescription=x\n").state());
  }
}
