package dev.queencell.cell.sample;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.cell.cgroup.Caps;
import dev.queencell.cell.home.CellHome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The cell is uncapped here, so that everything comes from a {@code /proc} that the test writes.
 */
class UsageProbeTest {
  private static final String CAPPED_ENV =
      "QUEENCELL_CGROUP='cell'\nQUEENCELL_CGROUP_BROKER='cell/broker'\n";

  private static final long SAMPLER_PID = 40;

  @TempDir private Path folder;
  private FakeMachine machine;
  private Path home;
  private FakeGroups groups;
  private UsageProbe probe;
  private Set<Long> sessions = Set.of();

  @BeforeEach
  void emptyMachine() throws IOException {
    machine = new FakeMachine(folder.resolve("proc"));
    machine.process(SAMPLER_PID, 1, 0, 500);
    machine.machine(0, 0, 0);
    home = Files.createDirectories(folder.resolve("home"));
    groups = new FakeGroups();
    Files.createDirectory(home.resolve("run"));
    Files.writeString(home.resolve("cell.env"), "QUEENCELL_CAP='none'\n");
    Files.createDirectory(folder.resolve("out"));
  }

  @AfterEach
  void close() throws IOException {
    probe.close();
  }

  private void open() throws IOException {
    probe =
        new UsageProbe(
            new SampledCell(CellHome.read(home)),
            home.resolve("loader.pid"),
            SAMPLER_PID,
            () -> sessions,
            groups,
            machine.proc(),
            folder.resolve("out"),
            "r1");
  }

  @Test
  void aUnitIsItsProcessWithAllDescendantsAndTheSliceIsTheSum() throws IOException {
    open();
    machine.process(10, 1, 100, 1_000);
    machine.process(11, 10, 50, 1_001);
    machine.process(12, 11, 20, 1_002);
    machine.process(20, 1, 5, 900);
    pid("pg", 10);
    pid("broker", 20);
    sample(0);
    machine.process(12, 11, 60, 1_002);
    machine.process(20, 1, 35, 900);
    sample(1_000);
    assertEquals(400_000, last("pg").value("cpuMicros"));
    assertEquals(300_000, last("broker").value("cpuMicros"));
    assertEquals(700_000, last("slice").value("cpuMicros"));
    assertEquals(1_000, last("slice").spanMs());
    assertEquals(3, last("pg").value("processes"));
    assertEquals("sum", last("slice").label("source"));
  }

  @Test
  void theSamplersSessionsAreThoseOfTheServersProcessesThatServeIt() throws IOException {
    open();
    machine.process(10, 1, 100, 1_000);
    machine.process(11, 10, 50, 1_001);
    machine.process(12, 10, 20, 1_002);
    machine.process(30, 1, 70, 1_003);
    pid("pg", 10);
    // 30 is no process of this server: another machine's numbers mean nothing here.
    sessions = Set.of(12L, 30L);
    sample(0);
    machine.process(11, 10, 90, 1_001);
    machine.process(12, 10, 23, 1_002);
    machine.process(30, 1, 99, 1_003);
    sample(1_000);
    assertEquals(30_000, last("samplerSessions").value("cpuMicros"));
    assertEquals(1, last("samplerSessions").value("processes"));
    // Another session in its place: its own account, from its start.
    machine.remove(12);
    machine.process(13, 10, 4, 1_900);
    sessions = Set.of(13L);
    sample(2_000);
    assertEquals(40_000, last("samplerSessions").value("cpuMicros"));
  }

  @Test
  void anEndedChildStaysInItsParentsAccount() throws IOException {
    open();
    machine.process(10, 1, 100, 1_000);
    machine.process(11, 10, 50, 1_001);
    pid("pg", 10);
    sample(0);
    machine.remove(11);
    machine.process(10, 1, 100 + 55, 1_000);
    sample(1_000);
    assertEquals(50_000, last("pg").value("cpuMicros"));
  }

  @Test
  void aRestartInTheMiddleCountsTheNewProcessFromItsStartAndIsMarked() throws IOException {
    open();
    machine.process(20, 1, 500, 900);
    pid("broker", 20);
    sample(0);
    machine.remove(20);
    Files.delete(home.resolve("run/broker.pid"));
    sample(1_000);
    assertEquals(Sample.UNKNOWN, last("broker").value("cpuMicros"));
    machine.process(21, 1, 40, 2_000);
    pid("broker", 21);
    sample(2_000);
    assertEquals(400_000, last("broker").value("cpuMicros"));
    assertEquals(2_000, last("broker").spanMs());
    assertEquals(1, last("broker").value("restarted"));
  }

  @Test
  void aPidThatIsUsedAgainIsARestartToo() throws IOException {
    open();
    machine.process(20, 1, 500, 900);
    pid("broker", 20);
    sample(0);
    machine.process(20, 1, 501, 5_000);
    sample(1_000);
    assertEquals(5_010_000, last("broker").value("cpuMicros"));
    assertEquals(1, last("broker").value("restarted"));
  }

  @Test
  void memoryCountsASharedPageOnce() throws IOException {
    open();
    machine.process(10, 1, 0, 1_000);
    machine.process(11, 10, 0, 1_001);
    machine.status(10, 100, 20, 1_000);
    machine.status(11, 50, 30, 900);
    pid("pg", 10);
    sample(0);
    assertEquals((150 + 30 + 1_000) * 1024, last("pg").value("memoryBytes"));
  }

  @Test
  void bytesOfAProcessThatCameInTheMiddleCountWhole() throws IOException {
    open();
    machine.process(10, 1, 0, 1_000);
    machine.io(10, 5_000, 7_000);
    pid("pg", 10);
    sample(0);
    assertEquals(Sample.UNKNOWN, last("pg").value("ioWriteBytes"));
    machine.process(11, 10, 0, 1_001);
    machine.io(11, 11, 13);
    machine.io(10, 5_100, 7_200);
    sample(1_000);
    assertEquals(111, last("pg").value("ioReadBytes"));
    assertEquals(213, last("pg").value("ioWriteBytes"));
    machine.remove(11);
    sample(2_000);
    assertEquals(0, last("pg").value("ioWriteBytes"));
  }

  @Test
  void theLoaderIsSampledAsSoonAsItsPidIsKnown() throws IOException {
    open();
    sample(0);
    assertTrue(lines("loader").isEmpty());
    machine.process(30, 1, 10, 3_000);
    Files.writeString(home.resolve("loader.pid"), "30\n");
    sample(1_000);
    machine.process(30, 1, 60, 3_000);
    sample(2_000);
    assertEquals(500_000, last("loader").value("cpuMicros"));
  }

  @Test
  void theSamplersOwnCostAndTheWholeMachineAreLinesOfTheirOwn() throws IOException {
    open();
    machine.machine(5_000, 100, 9_000);
    sample(0);
    machine.process(SAMPLER_PID, 1, 7, 500);
    machine.machine(5_080, 120, 9_100);
    sample(1_000);
    assertEquals(70_000, last("sampler").value("cpuMicros"));
    assertEquals(1_000_000, last("machine").value("cpuMicros"));
  }

  @Test
  void aGroupIsAskedBeforeProcesses() throws IOException {
    Files.writeString(home.resolve("cell.env"), CAPPED_ENV);
    open();
    group("cell", 9_000_000);
    group("cell/broker", 4_000_000);
    sample(0);
    group("cell", 9_800_000);
    group("cell/broker", 4_300_000);
    sample(1_000);
    assertEquals(800_000, last("slice").value("cpuMicros"));
    assertEquals(300_000, last("broker").value("cpuMicros"));
    assertEquals("cgroup2", last("slice").label("source"));
  }

  @Test
  void aGroupThatOutlivesItsProcessShowsTheRestartAndKeepsCounting() throws IOException {
    Files.writeString(home.resolve("cell.env"), CAPPED_ENV);
    open();
    machine.process(5, 1, 0, 100);
    machine.process(20, 5, 0, 900);
    pid("broker", 20);
    groups.pids.put("cell/broker", List.of(5L, 20L));
    group("cell/broker", 4_000_000);
    sample(0);
    // For a moment the group holds its supervisor only, which is no start of the service.
    machine.remove(20);
    Files.delete(home.resolve("run/broker.pid"));
    groups.pids.put("cell/broker", List.of(5L));
    group("cell/broker", 4_100_000);
    sample(1_000);
    assertEquals(0, last("broker").value("restarted"));
    machine.process(21, 5, 0, 2_000);
    pid("broker", 21);
    groups.pids.put("cell/broker", List.of(5L, 21L));
    group("cell/broker", 4_400_000);
    sample(2_000);
    assertEquals(300_000, last("broker").value("cpuMicros"));
    assertEquals(1, last("broker").value("restarted"));
    sample(3_000);
    assertEquals(0, last("broker").value("restarted"));
  }

  @Test
  void underSystemdTheOldestProcessOfTheGroupIsTheService() throws IOException {
    Files.writeString(home.resolve("cell.env"), CAPPED_ENV + "QUEENCELL_CAP='systemd'\n");
    open();
    machine.process(20, 1, 0, 900);
    groups.pids.put("cell/broker", List.of(20L));
    group("cell/broker", 4_000_000);
    sample(0);
    machine.remove(20);
    machine.process(21, 1, 0, 2_000);
    machine.process(22, 21, 0, 2_001);
    groups.pids.put("cell/broker", List.of(21L, 22L));
    sample(1_000);
    assertEquals(1, last("broker").value("restarted"));
  }

  @Test
  void underSystemdAGroupThatDoesNotCountStillNamesItsProcesses() throws IOException {
    Files.writeString(home.resolve("cell.env"), CAPPED_ENV + "QUEENCELL_CAP='systemd'\n");
    open();
    machine.process(20, 1, 5, 900);
    groups.pids.put("cell/broker", List.of(20L));
    sample(0);
    machine.process(20, 1, 35, 900);
    sample(1_000);
    assertEquals("proc", last("broker").label("source"));
    assertEquals(300_000, last("broker").value("cpuMicros"));
    assertEquals(300_000, last("slice").value("cpuMicros"));
  }

  @Test
  void aGroupThatWasMadeAgainCountsFromItsStart() throws IOException {
    Files.writeString(home.resolve("cell.env"), CAPPED_ENV);
    open();
    group("cell/broker", 4_000_000);
    sample(0);
    group("cell/broker", 50_000);
    sample(1_000);
    assertEquals(50_000, last("broker").value("cpuMicros"));
  }

  private void sample(long atMs) throws IOException {
    probe.sample(new Clock.Instant(atMs, 1_700_000_000_000L + atMs));
  }

  private List<Sample> lines(String unit) throws IOException {
    return SampleFile.USAGE.read(folder.resolve("out"), "r1").stream()
        .filter(line -> line.label("unit").equals(unit))
        .toList();
  }

  private Sample last(String unit) throws IOException {
    return lines(unit).getLast();
  }

  private void pid(String unit, long pid) throws IOException {
    Files.writeString(home.resolve("run").resolve(unit + ".pid"), pid + "\n");
  }

  private void group(String name, long cpuMicros) {
    groups.cpuMicros.put(name, cpuMicros);
  }

  /** Groups of version 2 that know their CPU time and their processes. */
  private static final class FakeGroups implements Groups {
    private final Map<String, Long> cpuMicros = new HashMap<>();
    private final Map<String, List<Long>> pids = new HashMap<>();

    @Override
    public Optional<Usage> usage(String group) {
      return Optional.ofNullable(cpuMicros.get(group))
          .map(
              micros ->
                  new Usage("cgroup2", "group", Map.of("cpuMicros", micros), Map.of(), Map.of()));
    }

    @Override
    public List<Long> processes(String group) {
      return pids.getOrDefault(group, List.of());
    }

    @Override
    public Caps caps(String group) {
      return Caps.NONE;
    }
  }
}
