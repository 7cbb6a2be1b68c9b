package dev.queencell.cell.sample;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.queencell.cell.cgroup.GroupUsage;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class GroupsTest {
  private static final GroupUsage USAGE =
      new GroupUsage(
          OptionalLong.of(1),
          OptionalLong.of(2),
          OptionalLong.of(3),
          OptionalLong.of(4),
          OptionalLong.of(5),
          OptionalLong.empty(),
          OptionalLong.of(7),
          OptionalLong.of(8),
          OptionalLong.of(9),
          Map.of("cpu", 10L, "io", 12L));

  @Test
  void everyNumberOfAGroupHasItsColumnAndNoneIsMadeUp() {
    var usage = Groups.translated(USAGE, 2);
    assertEquals("cgroup2", usage.source());
    assertEquals(
        Map.of(
            "cpuMicros", 1L,
            "throttledMicros", 2L,
            "periods", 3L,
            "throttledPeriods", 4L,
            "ioReadBytes", 8L,
            "ioWriteBytes", 9L,
            "cpuPressureMicros", 10L,
            "ioPressureMicros", 12L),
        usage.counters());
    assertEquals(Map.of("memoryBytes", 5L), usage.states());
  }

  @Test
  void version1sBytesAreLeftOutSinceTheyLackBufferedWrites() {
    var usage = Groups.translated(USAGE, 1);
    assertEquals("cgroup1", usage.source());
    assertFalse(usage.counters().containsKey("ioWriteBytes"));
  }
}
