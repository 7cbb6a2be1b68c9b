package dev.queencell.proxy.body;

/**
 * Counts what single members of an answer say: a replay that moved its message, timers that were
 * scheduled, the number of an ephemeral push, the sink items of a stream's cycle.
 */
public final class MemberCount extends ScalarScan {
  /** Which member, at which depth, counts how much. */
  public enum Of {
    /** {@code {"result":"moved"}}. */
    REPLAY,
    /** {@code "status"} of each result, {@code scheduled} or {@code rescheduled}. */
    TIMERS,
    /** {@code {"pushed": n}}. */
    EPHEMERAL_PUSH,
    /** {@code "status":"queued"} of each entry of {@code push_results}, if all was committed. */
    CYCLE
  }

  private static final byte[] RESULT = ascii("result");
  private static final byte[] MOVED = ascii("moved");
  private static final byte[] STATUS = ascii("status");
  private static final byte[] SCHEDULED = ascii("scheduled");
  private static final byte[] RESCHEDULED = ascii("rescheduled");
  private static final byte[] PUSHED = ascii("pushed");
  private static final byte[] QUEUED = ascii("queued");
  private static final byte[] SUCCESS = ascii("success");
  private static final byte[] FALSE = ascii("false");
  private static final int LIST_DEPTH = 2;
  private static final int RESULT_DEPTH = 3;

  private final Of what;
  private long count;
  private boolean failed;

  public MemberCount(Of what) {
    this.what = what;
  }

  @Override
  void member(int depth) {
    switch (what) {
      case REPLAY -> count += depth == 1 && keyIs(RESULT) && valueIs(MOVED) ? 1 : 0;
      case EPHEMERAL_PUSH -> count += depth == 1 && keyIs(PUSHED) ? valueNumber() : 0;
      case TIMERS -> {
        boolean result = depth == LIST_DEPTH || depth == RESULT_DEPTH;
        boolean scheduled = keyIs(STATUS) && (valueIs(SCHEDULED) || valueIs(RESCHEDULED));
        count += result && scheduled ? 1 : 0;
      }
      case CYCLE -> {
        failed |= depth == 1 && keyIs(SUCCESS) && valueIs(FALSE);
        count += depth == RESULT_DEPTH && keyIs(STATUS) && valueIs(QUEUED) ? 1 : 0;
      }
    }
  }

  @Override
  public long count() {
    return failed ? 0 : count;
  }
}
