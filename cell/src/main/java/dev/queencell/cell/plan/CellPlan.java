package dev.queencell.cell.plan;

import static dev.queencell.cell.plan.Budget.MIB;

import java.util.List;

/**
 * The whole plan for a budget: five processes that fit under it together, with the rest left to the
 * page cache. The same budget gives the same plan.
 *
 * @param budget what was to be divided
 * @param messages the messages' PostgreSQL
 * @param tenantState the tenants' PostgreSQL
 * @param jvms broker, proxy and state service, in this order
 */
record CellPlan(
    Budget budget, PostgresPlan messages, PostgresPlan tenantState, List<JvmPlan> jvms) {
  /** The share of the broker's heap that may hold recent segments. */
  private static final double TAIL_CACHE_SHARE = 0.25;

  /** glibc gives every thread an arena of its own otherwise, which a cap is charged for. */
  private static final String MALLOC_ARENAS = "2";

  static CellPlan of(Budget budget) {
    var jvms = List.of(JvmPlan.broker(budget), JvmPlan.proxy(budget), JvmPlan.state(budget));
    var tenantState = PostgresPlan.tenantState(budget);
    long others = jvms.stream().mapToLong(JvmPlan::ceilingBytes).sum() + tenantState.ceilingBytes();
    // Nothing in the messages' ceiling depends on the page cache, so one pass settles it.
    long messagesCeiling = PostgresPlan.messages(budget, 0).ceilingBytes();
    long pageCache = Math.max(0, budget.memoryBytes() - others - messagesCeiling);
    return new CellPlan(budget, PostgresPlan.messages(budget, pageCache), tenantState, jvms);
  }

  /** What is left to the page cache when every process holds all that it may. */
  long pageCacheBytes() {
    return budget.memoryBytes() - ceilingBytes();
  }

  /** What the five processes may hold together. */
  long ceilingBytes() {
    return messages.ceilingBytes()
        + tenantState.ceilingBytes()
        + jvms.stream().mapToLong(JvmPlan::ceilingBytes).sum();
  }

  /**
   * The JVM of a service.
   *
   * @throws IllegalArgumentException when there is none of that name
   */
  JvmPlan jvm(String name) {
    return jvms.stream()
        .filter(jvm -> jvm.name().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "no JVM '%s'; it takes one of %s"
                        .formatted(
                            name, String.join(", ", jvms.stream().map(JvmPlan::name).toList()))));
  }

  /** The environment that a service gets from the plan. */
  List<Setting> environment(String name) {
    var arenas =
        new Setting(
            "MALLOC_ARENA_MAX", MALLOC_ARENAS, "one arena per thread would count against the cap");
    if (!name.equals("broker")) {
      jvm(name);
      return List.of(arenas);
    }
    long tailCache = (long) (jvm("broker").heapBytes() * TAIL_CACHE_SHARE) / MIB * MIB;
    return List.of(
        arenas,
        new Setting(
            "QUEENCELL_LANES",
            Integer.toString(Math.max(1, (int) (budget.cpus() / 2))),
            "commit lanes: one for two CPUs; fewer lanes share their commits better"),
        new Setting(
            "QUEENCELL_TAIL_CACHE_BYTES",
            Long.toString(tailCache),
            "a quarter of the broker's heap holds recent segments; the rest is for lanes"));
  }
}
