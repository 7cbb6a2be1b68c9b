package dev.queencell.service;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The one JSON codec for documents that are worth a tree: settings, control-plane calls, status
 * pages. Message payloads never pass through it; the broker slices those out of the request bytes.
 *
 * <p>Thread-safe.
 */
public final class Json {
  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  private Json() {}

  /** The shared mapper, for the rare caller that needs streaming or records. */
  public static JsonMapper mapper() {
    return MAPPER;
  }

  public static ObjectNode object() {
    return MAPPER.createObjectNode();
  }

  public static byte[] bytes(Object value) {
    return MAPPER.writeValueAsBytes(value);
  }

  /**
   * Reads a request body that must be one JSON object; an empty body reads as an empty object.
   *
   * @throws HttpProblem 400 when it is anything else
   */
  public static ObjectNode readObject(byte[] body) {
    if (body.length == 0) {
      return object();
    }
    JsonNode node;
    try {
      node = MAPPER.readTree(body);
    } catch (JacksonException e) {
      // The parser's own text speaks of its settings; where it stopped is what helps.
      long at = e.getLocation() == null ? 0 : e.getLocation().getByteOffset();
      throw HttpProblem.badRequest("bad body: not valid JSON at byte " + Math.max(0, at));
    }
    if (node instanceof ObjectNode object) {
      return object;
    }
    throw HttpProblem.badRequest("bad body: expected a JSON object");
  }
}
