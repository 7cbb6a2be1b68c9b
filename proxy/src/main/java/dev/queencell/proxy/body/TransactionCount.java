package dev.queencell.proxy.body;

/**
 * Counts the messages that a transaction stored: its pushes without those that were duplicates, or
 * none when it was rolled back.
 */
public final class TransactionCount extends ScalarScan {
  private static final byte[] SUCCESS = ascii("success");
  private static final byte[] DUPLICATE = ascii("duplicate");
  private static final byte[] TRUE = ascii("true");
  private static final int RESULT_DEPTH = 3;

  private final long pushes;
  private boolean committed;
  private long duplicates;

  /**
   * @param pushes messages that the request carried
   */
  public TransactionCount(long pushes) {
    this.pushes = pushes;
  }

  @Override
  void member(int depth) {
    if (depth == 1 && keyIs(SUCCESS)) {
      committed = valueIs(TRUE);
    } else if (depth == RESULT_DEPTH && keyIs(DUPLICATE) && valueIs(TRUE)) {
      duplicates++;
    }
  }

  @Override
  public long count() {
    return committed ? Math.max(0, pushes - duplicates) : 0;
  }
}
