package dev.queencell.proxy.body;

/**
 * Counts the items of a push's answer that the broker took: {@code queued} into the queue or {@code
 * buffered} on its disk. Duplicates and failures count nothing.
 */
public final class PushCount extends ScalarScan {
  private static final byte[] STATUS = ascii("status");
  private static final byte[] QUEUED = ascii("queued");
  private static final byte[] BUFFERED = ascii("buffered");

  /** The answer is a list of objects. */
  private static final int ITEM_DEPTH = 2;

  private long queued;
  private long buffered;

  @Override
  void member(int depth) {
    if (depth == ITEM_DEPTH && keyIs(STATUS)) {
      if (valueIs(QUEUED)) {
        queued++;
      } else if (valueIs(BUFFERED)) {
        buffered++;
      }
    }
  }

  @Override
  public long count() {
    return queued + buffered;
  }

  /** Of those, the ones that wait on the broker's disk. */
  public long buffered() {
    return buffered;
  }
}
