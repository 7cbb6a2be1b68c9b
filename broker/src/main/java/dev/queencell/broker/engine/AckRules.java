package dev.queencell.broker.engine;

/**
 * The rule of one group of acknowledgements (same partition, same lease): the lowest explicit
 * signal wins, silent gaps below the highest completed offset complete, what is above a signal
 * comes again. Pure.
 */
final class AckRules {
  /** What the cursor knew. */
  record Before(
      long committed,
      boolean leased,
      long leaseEnd,
      int retries,
      int retryLimit,
      boolean deadLetters) {}

  /**
   * What follows.
   *
   * @param committed the new cursor
   * @param release the batch ends here: the rest, if any, is free again
   * @param batchCompleted attempt and retry counters start anew
   * @param retries the new counter
   * @param deadLetter the offset to file as a dead letter; -1 for none
   */
  record Decision(
      long committed, boolean release, boolean batchCompleted, int retries, long deadLetter) {}

  private AckRules() {}

  /**
   * Decides.
   *
   * @param offsets in the ackable span; negative ones don't take part
   */
  static Decision decide(Before before, long[] offsets, AckStatus[] statuses) {
    long signalAt = Long.MAX_VALUE;
    AckStatus signal = null;
    for (int i = 0; i < offsets.length; i++) {
      if (offsets[i] >= 0 && statuses[i] != AckStatus.COMPLETED) {
        if (offsets[i] < signalAt
            || (offsets[i] == signalAt && strength(statuses[i]) > strength(signal))) {
          signalAt = offsets[i];
          signal = statuses[i];
        }
      }
    }
    long completed = before.committed();
    for (int i = 0; i < offsets.length; i++) {
      if (statuses[i] == AckStatus.COMPLETED && offsets[i] < signalAt) {
        completed = Math.max(completed, offsets[i]);
      }
    }
    if (signal == null) {
      boolean whole = before.leased() && completed >= before.leaseEnd();
      return new Decision(completed, whole, whole, whole ? 0 : before.retries(), -1);
    }
    return signalled(before, signal, signalAt, completed);
  }

  private static Decision signalled(
      Before before, AckStatus signal, long signalAt, long completed) {
    if (signal == AckStatus.RETRY) {
      return new Decision(completed, true, false, before.retries(), -1);
    }
    if (signal == AckStatus.FAILED && before.retries() < before.retryLimit()) {
      return new Decision(completed, true, false, before.retries() + 1, -1);
    }
    boolean file = signal == AckStatus.DLQ || before.deadLetters();
    return new Decision(signalAt, true, true, 0, file ? signalAt : -1);
  }

  private static int strength(AckStatus status) {
    return switch (status) {
      case DLQ -> 3;
      case FAILED -> 2;
      case RETRY -> 1;
      case COMPLETED -> 0;
    };
  }
}
