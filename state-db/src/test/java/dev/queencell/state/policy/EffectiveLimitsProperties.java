package dev.queencell.state.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.queencell.service.Json;
import java.util.EnumMap;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.LongRange;

class EffectiveLimitsProperties {
  @Property
  void withoutOverridesThePlanStands(@ForAll("plans") Map<Limit, Long> plan) {
    assertEquals(withBursts(plan), EffectiveLimits.of(plan, null));
    assertEquals(withBursts(plan), EffectiveLimits.of(plan, Json.object()));
  }

  @Property
  void nullLiftsALimitWhateverThePlanSays(
      @ForAll("plans") Map<Limit, Long> plan, @ForAll("plainLimits") Limit limit) {
    var merged = EffectiveLimits.of(plan, Json.object().putNull(limit.column()));
    assertFalse(merged.containsKey(limit));
  }

  @Property
  void aNumberWinsOverThePlan(
      @ForAll("plans") Map<Limit, Long> plan,
      @ForAll Limit limit,
      @ForAll @LongRange(min = 0, max = Long.MAX_VALUE) long number) {
    var merged = EffectiveLimits.of(plan, Json.object().put(limit.column(), number));
    assertEquals(number, merged.get(limit));
  }

  @Property
  void anythingElseKeepsThePlansValueAndIsNeverZero(
      @ForAll("plans") Map<Limit, Long> plan,
      @ForAll("plainLimits") Limit limit,
      @ForAll("nonsense") String json) {
    var overrides = Json.object();
    overrides.set(limit.column(), Json.mapper().readTree(json));
    assertEquals(plan.get(limit), EffectiveLimits.of(plan, overrides).get(limit));
  }

  @Property
  void anOverrideOfOneLimitLeavesTheOthersAlone(
      @ForAll("plans") Map<Limit, Long> plan,
      @ForAll("plainLimits") Limit limit,
      @ForAll @LongRange(min = 0) long number) {
    var merged = EffectiveLimits.of(plan, Json.object().put(limit.column(), number));
    merged.remove(limit);
    var expected = withBursts(plan);
    expected.remove(limit);
    assertEquals(expected, merged);
  }

  @Example
  void aRateWithoutABurstMayBurstToTwoSecondsWorth() {
    var merged = EffectiveLimits.of(Map.of(Limit.MAX_REQ_PER_SEC, 7L), null);
    assertEquals(14L, merged.get(Limit.REQ_BURST));
    assertNull(merged.get(Limit.MSGS_BURST));
  }

  @Example
  void aHugeRateDoesNotOverflowItsBurst() {
    var merged = EffectiveLimits.of(Map.of(Limit.MAX_REQ_PER_SEC, Long.MAX_VALUE - 1), null);
    assertEquals(Long.MAX_VALUE, merged.get(Limit.REQ_BURST));
  }

  /** Any plan: each limit is there or not. */
  @Provide
  Arbitrary<Map<Limit, Long>> plans() {
    return Arbitraries.maps(Arbitraries.of(Limit.class), Arbitraries.longs().between(0, 1L << 40));
  }

  /** The limits that no other limit is derived from, nor derived themselves. */
  @Provide
  Arbitrary<Limit> plainLimits() {
    return Arbitraries.of(
        Limit.MAX_QUEUES,
        Limit.MAX_PARTITIONS_PER_QUEUE,
        Limit.MAX_PARKED_POPS,
        Limit.MAX_PAYLOAD_BYTES,
        Limit.MAX_BATCH_ITEMS,
        Limit.MAX_RETAINED_BYTES,
        Limit.MAX_RETENTION_SECONDS,
        Limit.MONTHLY_MSGS_QUOTA);
  }

  @Provide
  Arbitrary<String> nonsense() {
    return Arbitraries.of(
        "\"5\"",
        "\"\"",
        "true",
        "false",
        "[]",
        "[7]",
        "{}",
        "-1",
        "0.5",
        "1e300",
        "9223372036854775808");
  }

  private static Map<Limit, Long> withBursts(Map<Limit, Long> plan) {
    var expected = new EnumMap<Limit, Long>(Limit.class);
    expected.putAll(plan);
    addBurst(expected, Limit.MAX_REQ_PER_SEC, Limit.REQ_BURST);
    addBurst(expected, Limit.MAX_MSGS_PER_SEC, Limit.MSGS_BURST);
    return expected;
  }

  private static void addBurst(Map<Limit, Long> limits, Limit rate, Limit burst) {
    if (limits.containsKey(rate)) {
      limits.putIfAbsent(burst, 2 * limits.get(rate));
    }
  }
}
