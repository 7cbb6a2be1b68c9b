package dev.queencell.broker.http;

import dev.queencell.broker.engine.Limits;
import dev.queencell.service.HttpProblem;

/** What the name of a queue, a partition or a group may be. */
final class Names {
  /** The partition of pushes that name none. */
  static final String DEFAULT_PARTITION = "Default";

  private Names() {}

  /**
   * Returns the name.
   *
   * @param where how the refusal calls it
   * @throws HttpProblem 400 when it is too long or holds what can't be stored
   */
  static String checked(String name, String where) {
    var problem = problemOf(name);
    if (problem != null) {
      throw HttpProblem.badRequest(where + " " + problem);
    }
    return name;
  }

  /** What is wrong with a name; null when nothing is. */
  static String problemOf(String name) {
    int bytes = Utf8.encodedLength(name);
    if (bytes < 0) {
      return "holds a lone surrogate, which no UTF-8 text can hold";
    }
    if (bytes > Limits.NAME_BYTES_MAX) {
      return "is %d UTF-8 bytes long; at most %d".formatted(bytes, Limits.NAME_BYTES_MAX);
    }
    return name.indexOf('\0') >= 0 ? "holds the character U+0000" : null;
  }
}
