package dev.queencell.cell.status;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.cell.status.CellStatus.Caps;
import dev.queencell.cell.status.CellStatus.Disk;
import dev.queencell.cell.status.CellStatus.UnitStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class StatusOutputTest {
  private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");
  private static final long GIB = 1L << 30;
  private static final GroupUse CAPPED =
      new GroupUse(
          OptionalDouble.of(1.5),
          OptionalLong.of(2 * GIB),
          OptionalLong.of(5_000_000),
          OptionalLong.of(GIB),
          OptionalLong.of(GIB + GIB / 2),
          200,
          40,
          1_250_000);
  private static final UnitRun RUNNING = UnitRun.running(4711, 1, "");

  private static UnitStatus broker(UnitRun run, Health health) {
    return new UnitStatus(
        "broker", run, 6632, "queencell/broker", 3_725_000, 900, 12.34, GIB, GIB / 2, health);
  }

  private static CellStatus cell(Caps caps, UnitStatus... processes) {
    var pg = new PostgresView(Health.well(""), "18.6", Map.of("shared_buffers", "2GB"), 9 << 20);
    return new CellStatus(
        "/srv/cell",
        true,
        caps,
        List.of(processes),
        6712,
        true,
        pg,
        "embedded",
        pg,
        new Disk(
            Map.of("all", 3L << 20, "pg", 2L << 20, "statepg", 1L << 20, "log", 1L << 10),
            7 * GIB));
  }

  private static Caps caps(GroupUse group) {
    return new Caps("cgroup", "no systemd here", 1.5, 2, group);
  }

  @Test
  void theCapsShownAreTheKernelsNotTheAskedOnes() {
    var other =
        new GroupUse(
            OptionalDouble.of(1),
            OptionalLong.empty(),
            OptionalLong.empty(),
            OptionalLong.empty(),
            OptionalLong.empty(),
            0,
            0,
            0);
    var text = StatusText.of(cell(caps(other), broker(RUNNING, Health.well(""))));
    assertTrue(text.contains("capped by cgroup: 1 CPU and no cap on memory"), text);
    assertTrue(text.contains("*** the memory cap is not in force ***"), text);
    var json = StatusJson.of(cell(caps(other), broker(RUNNING, Health.well(""))));
    assertEquals(1.0, json.at("/caps/cpus").asDouble());
    assertTrue(json.at("/caps/memoryBytes").isNull());
    assertEquals(2.0, json.at("/caps/askedMemoryGib").asDouble());
  }

  @Test
  void throttlingAndMemoryAreToldForTheWholeCell() {
    var text = StatusText.of(cell(caps(CAPPED), broker(RUNNING, Health.well(""))));
    assertTrue(text.contains("capped by cgroup: 1.5 CPUs and 2 GiB for everything"), text);
    assertTrue(
        text.contains("throttled in 40 of 200 periods, 1.3 s in all; memory 1.0 GiB now, 1.5 GiB"),
        text);
  }

  @Test
  void anUncappedCellSaysSoLoudly() {
    var caps = new Caps("none", "asked for", 2, 8, GroupUse.NONE);
    var text = StatusText.of(cell(caps, broker(RUNNING, Health.well(""))));
    assertTrue(text.contains("*** UNCAPPED"), text);
    assertFalse(StatusJson.of(cell(caps)).at("/caps/capped").asBoolean(true));
  }

  @Test
  void aProcessIsShownWithAllThatIsKnownOfIt() {
    var json = StatusJson.of(cell(caps(CAPPED), broker(RUNNING, Health.well("standby"))));
    var process = json.at("/processes/0");
    assertEquals("broker", process.path("name").asString());
    assertEquals(4711, process.path("pid").asLong());
    assertEquals(6632, process.path("port").asInt());
    assertTrue(process.path("healthy").asBoolean());
    assertEquals(1, process.path("restarts").asInt());
    assertEquals(900, process.path("cpuMicros").asLong());
    assertEquals(12.3, process.path("cpuPercent").asDouble());
    assertEquals(GIB, process.path("memoryBytes").asLong());
    var text = StatusText.of(cell(caps(CAPPED), broker(RUNNING, Health.well("standby"))));
    assertTrue(text.contains("1h02m"), text);
    assertTrue(text.contains("well, standby"), text);
  }

  @Test
  void thePortsOfTheProcessesAndOfTheProxysAdministrationAreTold() {
    var status = cell(caps(CAPPED), broker(RUNNING, Health.well("")));
    assertEquals(6632, StatusJson.of(status).at("/ports/broker").asInt());
    assertEquals(6712, StatusJson.of(status).at("/ports/proxyAdmin").asInt());
    assertTrue(StatusText.of(status).contains("admin port 6712\n"), StatusText.of(status));
  }

  @Test
  void everyKeyForMachinesIsInTheReferenceAndNoOther() throws IOException {
    var keys = new TreeSet<String>();
    collect(StatusJson.of(cell(caps(CAPPED), broker(RUNNING, Health.well("")))), "", keys);
    var reference = Files.readString(Path.of("../docs/reference.md"));
    var section = reference.split("\n## The status for machines\n", -1)[1].split("\n## ", 2)[0];
    var documented =
        section
            .lines()
            .filter(line -> line.startsWith("| `"))
            .flatMap(line -> QUOTED.matcher(line.split("\\|", -1)[1]).results())
            .map(found -> found.group(1))
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(documented, keys);
  }

  /** Paths of all leaves; what is keyed by names that vary counts as a leaf. */
  private static void collect(JsonNode node, String path, Set<String> keys) {
    if (node.isArray()) {
      node.forEach(one -> collect(one, path + "[]", keys));
    } else if (node.isObject() && !path.equals("ports") && !path.endsWith(".settings")) {
      node.properties()
          .forEach(
              one ->
                  collect(
                      one.getValue(),
                      path.isEmpty() ? one.getKey() : path + "." + one.getKey(),
                      keys));
    } else {
      keys.add(path);
    }
  }

  @Test
  void theExitCodeTellsWellFromUnwellFromDown() {
    var well = broker(RUNNING, Health.well(""));
    var unwell = broker(RUNNING, Health.unwell("answered 503"));
    var down = broker(UnitRun.down(UnitRun.State.DOWN, 0, ""), Health.unwell("down"));
    assertEquals(0, cell(caps(CAPPED), well).exitCode());
    assertEquals(3, cell(caps(CAPPED), well, unwell).exitCode());
    assertEquals(3, cell(caps(CAPPED), well, down).exitCode());
    assertEquals(4, cell(caps(CAPPED), down, down).exitCode());
    assertTrue(StatusText.of(cell(caps(CAPPED), unwell)).contains("NOT WELL: answered 503"));
    assertTrue(StatusJson.of(cell(caps(CAPPED), down)).at("/processes/0/pid").isNull());
  }

  @Test
  void aUnitThatWaitsTellsHowLongAndHowItEnded() {
    var run = UnitRun.restarting(5, 3200, "status 137 after 0 s");
    var why = "restarting after a wait of 3.2 s; it ended with status 137 after 0 s";
    assertEquals(why, StatusReader.why(run));
    assertEquals("down", StatusReader.why(UnitRun.down(UnitRun.State.DOWN, 0, "")));
    var json = StatusJson.of(cell(caps(CAPPED), broker(run, Health.unwell(why))));
    assertEquals(3200, json.at("/processes/0/waitMs").asLong());
    assertEquals("status 137 after 0 s", json.at("/processes/0/lastExit").asString());
  }

  @Test
  void settingsAreListedForBothServers() {
    var text = StatusText.of(cell(caps(CAPPED), broker(RUNNING, Health.well(""))));
    assertTrue(text.contains("pg  PostgreSQL 18.6 (embedded), database 9 MiB"), text);
    assertTrue(text.contains("  shared_buffers=2GB\n"), text);
    assertTrue(text.contains("enforce: what is over a limit is refused"), text);
  }
}
