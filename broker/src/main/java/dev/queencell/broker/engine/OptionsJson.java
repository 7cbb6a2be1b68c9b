package dev.queencell.broker.engine;

import dev.queencell.broker.store.QueueOptions;
import dev.queencell.service.Json;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Queue options as JSON: how they are stored, and how a configure call changes them. In a merge an
 * absent option keeps its value; in both modes {@code null} resets one, and a value sets it.
 */
final class OptionsJson {
  private static final String SINK_HOLD_PATTERN = "[A-Za-z0-9._-]{0,64}";
  private static final int SINK_HOLD_SECONDS_MIN = 60;
  private static final int SINK_HOLD_SECONDS_MAX = 31_536_000;

  /** Options whose default is not enforced: what says that a queue asked for them. */
  private static final Map<String, String> ASKED_FOR =
      Map.of("ttl", "ttlEnforced", "retryDelay", "retryDelayEnforced");

  private OptionsJson() {}

  static String write(QueueOptions options) {
    return Json.mapper().writeValueAsString(options);
  }

  /** Reads a stored row; options that it does not know yet take their defaults. */
  static QueueOptions read(String json) {
    var defaults = defaults();
    defaults.setAll((ObjectNode) Json.mapper().readTree(json));
    return Json.mapper().treeToValue(defaults, QueueOptions.class);
  }

  /**
   * Applies a configure call.
   *
   * @param current null for a queue that does not exist
   * @throws OptionRefusedException naming the option that can't be taken
   */
  static QueueOptions apply(QueueOptions current, ObjectNode changes, boolean replace) {
    var defaults = defaults();
    ObjectNode result =
        current == null || replace ? defaults.deepCopy() : Json.mapper().valueToTree(current);
    for (Map.Entry<String, JsonNode> entry : defaults.properties()) {
      var name = entry.getKey();
      var value = changes.get(name);
      if (value == null || ASKED_FOR.containsValue(name)) {
        continue;
      }
      if (ASKED_FOR.containsKey(name)) {
        result.put(ASKED_FOR.get(name), !value.isNull());
      }
      result.set(name, value.isNull() ? entry.getValue() : checked(name, value, entry.getValue()));
    }
    var options = Json.mapper().treeToValue(result, QueueOptions.class);
    check(options);
    return options;
  }

  private static ObjectNode defaults() {
    return Json.mapper()
        .valueToTree(QueueOptions.defaults(QueueOptions.LEASE_TIME_CONFIGURED_SECONDS));
  }

  /** The value in the type of the option's default. */
  private static JsonNode checked(String name, JsonNode value, JsonNode sample) {
    var nodes = Json.mapper().getNodeFactory();
    if (sample.isBoolean()) {
      if (value.isBoolean()) {
        return value;
      }
      throw new OptionRefusedException("options.%s must be true or false".formatted(name));
    }
    if (sample.isNumber()) {
      if (value.isIntegralNumber() && value.canConvertToInt()) {
        return value;
      }
      // Some client libraries send whole numbers as text.
      if (value.isString() && value.stringValue().matches("-?\\d{1,9}")) {
        return nodes.numberNode(Integer.parseInt(value.stringValue()));
      }
      throw new OptionRefusedException(
          "options.%s must be a whole number of 32 bits".formatted(name));
    }
    if (value.isString()) {
      return value;
    }
    throw new OptionRefusedException("options.%s must be a string".formatted(name));
  }

  private static void check(QueueOptions options) {
    if (!options.retentionSinkHold().matches(SINK_HOLD_PATTERN)) {
      throw new OptionRefusedException("options.retentionSinkHold must match " + SINK_HOLD_PATTERN);
    }
    int hold = options.retentionSinkHoldMaxSeconds();
    if (hold < SINK_HOLD_SECONDS_MIN || hold > SINK_HOLD_SECONDS_MAX) {
      throw new OptionRefusedException(
          "options.retentionSinkHoldMaxSeconds must be from %d to %d"
              .formatted(SINK_HOLD_SECONDS_MIN, SINK_HOLD_SECONDS_MAX));
    }
    if (!options.relaxesLeases() && !options.leaseDurability().equals(QueueOptions.LEASES_STRICT)) {
      throw new OptionRefusedException(
          "options.leaseDurability must be \"%s\" or \"%s\""
              .formatted(QueueOptions.LEASES_STRICT, QueueOptions.LEASES_RELAXED));
    }
  }
}
