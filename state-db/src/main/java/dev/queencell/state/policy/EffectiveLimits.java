package dev.queencell.state.policy;

import dev.queencell.service.Json;
import java.util.EnumMap;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The merge of a plan with a cluster's overrides, limit by limit: no override keeps the plan's
 * value, JSON null lifts the limit, a whole number from 0 replaces it, and anything else is
 * ignored, so that a slip never locks a tenant out.
 */
public final class EffectiveLimits {
  /** A rate without a burst of its own may burst to this many seconds' worth. */
  private static final long BURST_DEFAULT_SECONDS = 2;

  private EffectiveLimits() {}

  /**
   * Merges; in the result a missing key means unlimited.
   *
   * @param plan the plan's limits, without the unlimited ones
   * @param overrides an object of overrides, or null
   */
  public static Map<Limit, Long> of(Map<Limit, Long> plan, JsonNode overrides) {
    var merged = new EnumMap<Limit, Long>(Limit.class);
    for (var limit : Limit.values()) {
      var value = merge(plan.get(limit), overrides == null ? null : overrides.get(limit.column()));
      if (value != null) {
        merged.put(limit, value);
      }
    }
    defaultBurst(merged, Limit.MAX_REQ_PER_SEC, Limit.REQ_BURST);
    defaultBurst(merged, Limit.MAX_MSGS_PER_SEC, Limit.MSGS_BURST);
    return merged;
  }

  /**
   * Merges one limit that no other is derived from.
   *
   * @param plan the plan's value, or null for unlimited
   * @param overrides the stored JSON object, or null
   */
  public static Long one(Limit limit, Long plan, String overrides) {
    return merge(
        plan, overrides == null ? null : Json.mapper().readTree(overrides).get(limit.column()));
  }

  /** Writes all limits, null for unlimited. */
  public static void write(Map<Limit, Long> limits, ObjectNode into) {
    for (var limit : Limit.values()) {
      into.put(limit.column(), limits.get(limit));
    }
  }

  private static Long merge(Long plan, JsonNode override) {
    if (override == null) {
      return plan;
    }
    if (override.isNull()) {
      return null;
    }
    boolean usable =
        override.isNumber()
            && override.canConvertToExactIntegral()
            && override.canConvertToLong()
            && override.longValue() >= 0;
    return usable ? Long.valueOf(override.longValue()) : plan;
  }

  private static void defaultBurst(Map<Limit, Long> merged, Limit rate, Limit burst) {
    var perSecond = merged.get(rate);
    if (perSecond != null && !merged.containsKey(burst)) {
      boolean overflows = perSecond > Long.MAX_VALUE / BURST_DEFAULT_SECONDS;
      merged.put(burst, overflows ? Long.MAX_VALUE : perSecond * BURST_DEFAULT_SECONDS);
    }
  }
}
