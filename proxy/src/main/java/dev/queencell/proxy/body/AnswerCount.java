package dev.queencell.proxy.body;

/**
 * Counts what a broker's answer says was done, piece by piece as it streams by: nothing is kept and
 * nothing is built up.
 *
 * <p>Not thread-safe; one use.
 */
public interface AnswerCount {
  /** Looks at the next piece of the answer. */
  void feed(byte[] bytes, int offset, int length);

  /** Messages so far; final once the whole answer was fed. */
  long count();
}
