package dev.queencell.loader.fault;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Collectors;

/** How many of which fault to inject, and whose messages they hit. Immutable. */
public final class FaultPlan {
  /** What a plan is written like. */
  public static final String ACCEPTS =
      "none, or a list such as dup-push=N,lose-msg=N,drop-ack=N,swap=N,cross=N";

  /** Faults hit whoever comes first. */
  public static final int ANY_TENANT = -1;

  public static final FaultPlan NONE = new FaultPlan(Map.of(), ANY_TENANT);
  private static final int COUNT_MAX = 1_000_000;

  private final Map<Fault, Integer> counts;
  private final int victim;

  private FaultPlan(Map<Fault, Integer> counts, int victim) {
    this.counts = counts;
    this.victim = victim;
  }

  /**
   * Reads a plan.
   *
   * @throws IllegalArgumentException when it is no plan
   */
  public static FaultPlan parse(String text) {
    if (text.equals("none")) {
      return NONE;
    }
    var counts = new EnumMap<Fault, Integer>(Fault.class);
    for (var part : text.split(",", -1)) {
      int equals = part.indexOf('=');
      if (equals < 0) {
        throw new IllegalArgumentException("no count");
      }
      var word = part.substring(0, equals);
      var fault =
          Arrays.stream(Fault.values())
              .filter(f -> f.word().equals(word))
              .findFirst()
              .orElseThrow(() -> new IllegalArgumentException("no such fault"));
      int count = Integer.parseInt(part.substring(equals + 1));
      if (count < 0 || count > COUNT_MAX) {
        throw new IllegalArgumentException("out of range");
      }
      counts.put(fault, count);
    }
    return new FaultPlan(counts, ANY_TENANT);
  }

  /** The same faults, on the messages of this tenant only; {@link #ANY_TENANT} for all. */
  public FaultPlan onTenant(int tenant) {
    return new FaultPlan(counts, tenant);
  }

  boolean hits(int tenant) {
    return victim == ANY_TENANT || victim == tenant;
  }

  public int count(Fault fault) {
    return counts.getOrDefault(fault, 0);
  }

  public boolean isEmpty() {
    return counts.values().stream().allMatch(n -> n == 0);
  }

  @Override
  public String toString() {
    return counts.isEmpty()
        ? "none"
        : counts.entrySet().stream()
            .map(e -> e.getKey().word() + "=" + e.getValue())
            .collect(Collectors.joining(","));
  }
}
