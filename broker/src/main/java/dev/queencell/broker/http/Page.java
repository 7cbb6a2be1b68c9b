package dev.queencell.broker.http;

import dev.queencell.service.HttpProblem;

/** The part of a list that a query asks for with {@code limit} and {@code offset}. */
record Page(int limit, int offset) {
  /** Rows of one answer; a larger wish gets this. */
  static final int LIMIT_MAX = 1_000;

  /** Rows that may be skipped; whoever wants to go deeper narrows the question instead. */
  static final int OFFSET_MAX = 100_000;

  /**
   * Reads a query.
   *
   * @throws HttpProblem 400 when one of them is negative, no number, or the offset too far
   */
  static Page of(Query query, int limitDefault) {
    int limit = query.integer("limit", limitDefault);
    int offset = query.integer("offset", 0);
    if (limit < 0 || offset < 0 || offset > OFFSET_MAX) {
      throw HttpProblem.badRequest(
          "bad query: limit and offset take 0 or more, offset at most " + OFFSET_MAX);
    }
    return new Page(Math.min(limit, LIMIT_MAX), offset);
  }
}
