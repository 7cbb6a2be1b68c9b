package dev.queencell.cell.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class CellPlanTest {
  private static final long GIB = 1L << 30;
  private static final Budget.Host LARGE = new Budget.Host(256, 1024 * GIB);

  /** Room for the page cache: without any, every read and every WAL write would stall. */
  private static final double PAGE_CACHE_SHARE_MIN = 0.10;

  @Provide
  Arbitrary<Budget> budgets() {
    var cpus = Arbitraries.of(0.0, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 8.0, 16.0, 64.0, 256.0);
    var memory =
        Arbitraries.oneOf(
            Arbitraries.of(0.0, 1.0, 1.5, 2.0, 4.0, 8.0, 16.0, 64.0, 1024.0),
            Arbitraries.doubles().between(1, 1024));
    var hosts =
        Combinators.combine(
                Arbitraries.integers().between(1, 256), Arbitraries.longs().between(1, 1024))
            .as((hostCpus, gib) -> new Budget.Host(hostCpus, gib * GIB));
    return Combinators.combine(cpus, memory, hosts).as(Budget::of);
  }

  @Property
  void thePartsFitUnderTheCapWithRoomForThePageCache(@ForAll("budgets") Budget budget) {
    var plan = CellPlan.of(budget);
    assertTrue(
        plan.pageCacheBytes() >= PAGE_CACHE_SHARE_MIN * budget.memoryBytes(),
        () -> new PlanPrinter(plan).summary());
  }

  @Property
  void sharedBuffersAreAQuarterOfTheCellWhateverTheHostHas(@ForAll("budgets") Budget budget) {
    var value = setting(CellPlan.of(budget).messages().settings(), "shared_buffers");
    long quarterMib = budget.memoryBytes() / 4 / (1L << 20);
    assertEquals(quarterMib + "MB", value);
  }

  @Property
  void durabilityIsNeverTunedAway(@ForAll("budgets") Budget budget) {
    var plan = CellPlan.of(budget);
    for (var server : List.of(plan.messages(), plan.tenantState())) {
      for (var name : List.of("fsync", "synchronous_commit", "full_page_writes")) {
        assertEquals("on", setting(server.settings(), name), name);
      }
    }
  }

  @Property
  void everyServiceIsToldItsCpusAndACollectorThatFits(@ForAll("budgets") Budget budget) {
    for (var jvm : CellPlan.of(budget).jvms()) {
      var flags = jvm.flags().stream().map(flag -> flag.name() + flag.value()).toList();
      int processors = (int) Math.ceil(budget.cpus());
      assertTrue(flags.contains("-XX:ActiveProcessorCount=" + processors), flags::toString);
      assertTrue(flags.contains("-XX:+ExitOnOutOfMemoryError"), flags::toString);
      assertNotEquals(
          flags.contains("-XX:+UseSerialGC"), flags.contains("-XX:+UseG1GC"), flags::toString);
      if (budget.cpus() <= 1) {
        assertTrue(flags.contains("-XX:+UseSerialGC"), flags::toString);
      }
      boolean quick =
          jvm.name().equals("state") || (jvm.name().equals("broker") && budget.cpus() <= 1);
      assertEquals(quick, flags.contains("-XX:TieredStopAtLevel=1"), flags::toString);
      assertTrue(jvm.heapBytes() >= 48 * (1L << 20), jvm::toString);
    }
  }

  @Property
  void everyNumberHasAReasonAndANameOfItsOwn(@ForAll("budgets") Budget budget) {
    var plan = CellPlan.of(budget);
    for (var settings :
        List.of(
            plan.messages().settings(),
            plan.tenantState().settings(),
            plan.jvm("broker").flags(),
            plan.environment("broker"))) {
      assertEquals(settings.size(), settings.stream().map(Setting::name).distinct().count());
      assertTrue(settings.stream().noneMatch(setting -> setting.reason().isBlank()));
    }
  }

  @Property
  void moreMemoryNeverGivesAPartLess(@ForAll("budgets") Budget budget) {
    var more = new Budget(budget.cpus(), budget.memoryBytes() + GIB, budget.cpuCapped(), true);
    var plan = CellPlan.of(budget);
    var larger = CellPlan.of(more);
    for (var jvm : plan.jvms()) {
      assertTrue(larger.jvm(jvm.name()).heapBytes() >= jvm.heapBytes());
    }
    assertTrue(larger.messages().sharedBytes() >= plan.messages().sharedBytes());
  }

  @Example
  void withoutACapItIsSizedFromTheHostWithinLimits() {
    var budget = Budget.of(0, 0, LARGE);
    assertFalse(budget.cpuCapped() || budget.memoryCapped());
    assertEquals(16, budget.cpus());
    assertEquals(32 * GIB, budget.memoryBytes());
    var small = Budget.of(0, 0, new Budget.Host(2, 24 * GIB));
    assertEquals(2, small.cpus());
    assertEquals(12 * GIB, small.memoryBytes());
  }

  @Example
  void aCapAboveTheMachineIsSizedForTheMachine() {
    var budget = Budget.of(8, 64, new Budget.Host(2, 16 * GIB));
    assertEquals(2, budget.cpus());
    assertEquals(16 * GIB, budget.memoryBytes());
  }

  @Example
  void theSmallestCellIsWhatItWasDecidedToBe() {
    var plan = CellPlan.of(Budget.of(0.5, 1, LARGE));
    assertEquals("256MB", setting(plan.messages().settings(), "shared_buffers"));
    assertEquals("1", setting(plan.environment("broker"), "QUEENCELL_LANES"));
    assertEquals("sync", setting(plan.messages().settings(), "io_method"));
    assertEquals(1, plan.jvm("proxy").processors());
  }

  @Example
  void aBudgetOutsideOfTheLimitsIsRefusedWithThem() {
    var refusal = assertThrows(IllegalArgumentException.class, () -> Budget.of(0.2, 1, LARGE));
    assertEquals(
        "--cpus is 0.2; it takes 0.5 to 1024 CPUs, fractions allowed, or 0 for no cap",
        refusal.getMessage());
    for (double memory : new double[] {0.5, -1, 5000, Double.NaN}) {
      assertThrows(IllegalArgumentException.class, () -> Budget.of(1, memory, LARGE));
    }
  }

  @Example
  void anUnknownServiceIsRefusedWithThoseThereAre() {
    var plan = CellPlan.of(Budget.of(1, 4, LARGE));
    var refusal = assertThrows(IllegalArgumentException.class, () -> plan.environment("mailer"));
    assertEquals("no JVM 'mailer'; it takes one of broker, proxy, state", refusal.getMessage());
  }

  @Example
  void postgresReadsItsLinesAndTheMachineReadsTheSameNumbers() {
    var plan = CellPlan.of(Budget.of(1, 4, LARGE));
    var lines = PlanPrinter.postgres(plan.messages());
    assertTrue(lines.contains("shared_buffers = '1024MB'\n"), lines);
    var json = new PlanPrinter(plan).json();
    assertEquals("1024MB", json.at("/postgres/settings/shared_buffers").stringValue());
    assertEquals(4 * GIB, json.at("/memoryBytes").longValue());
  }

  private static String setting(List<Setting> settings, String name) {
    return settings.stream()
        .filter(setting -> setting.name().equals(name))
        .findFirst()
        .orElseThrow()
        .value();
  }
}
