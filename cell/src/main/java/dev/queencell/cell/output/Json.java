package dev.queencell.cell.output;

import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The JSON codec of every subcommand: indented, keys in the order they were put. Thread-safe. */
public final class Json {
  private static final JsonMapper MAPPER =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  private Json() {}

  /** The shared mapper, for reading and for streaming. */
  public static JsonMapper mapper() {
    return MAPPER;
  }

  public static ObjectNode object() {
    return MAPPER.createObjectNode();
  }

  /** The document as indented text without a line end. */
  public static String text(Object value) {
    return MAPPER.writeValueAsString(value);
  }
}
