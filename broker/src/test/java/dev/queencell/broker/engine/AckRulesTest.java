package dev.queencell.broker.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class AckRulesTest {
  private static final AckRules.Before BEFORE = new AckRules.Before(9, true, 14, 0, 3, true);

  private static AckRules.Decision decide(AckRules.Before before, Object... offsetsAndStatuses) {
    var offsets = new long[offsetsAndStatuses.length / 2];
    var statuses = new AckStatus[offsets.length];
    for (int i = 0; i < offsets.length; i++) {
      offsets[i] = (Integer) offsetsAndStatuses[2 * i];
      statuses[i] = (AckStatus) offsetsAndStatuses[2 * i + 1];
    }
    return AckRules.decide(before, offsets, statuses);
  }

  @Test
  void theHighestCompletedOffsetCompletesWhatIsBelow() {
    var decision = decide(BEFORE, 12, AckStatus.COMPLETED);
    assertEquals(new AckRules.Decision(12, false, false, 0, -1), decision);
  }

  @Test
  void theWholeBatchEndsTheLease() {
    var decision = decide(BEFORE, 14, AckStatus.COMPLETED);
    assertEquals(new AckRules.Decision(14, true, true, 0, -1), decision);
  }

  @Test
  void completedOffsetsAboveTheSignalAreNotHonoured() {
    var decision =
        decide(BEFORE, 10, AckStatus.COMPLETED, 12, AckStatus.FAILED, 13, AckStatus.COMPLETED);
    assertEquals(new AckRules.Decision(10, true, false, 1, -1), decision);
  }

  @Test
  void aRetryChargesNothing() {
    assertEquals(0, decide(BEFORE, 10, AckStatus.RETRY).retries());
  }

  @Test
  void theBudgetIsSpentOnTheFailureAfterTheLimit() {
    var spent = new AckRules.Before(9, true, 14, 3, 3, true);
    assertEquals(new AckRules.Decision(11, true, true, 0, 11), decide(spent, 11, AckStatus.FAILED));
    var dropping = new AckRules.Before(9, true, 14, 3, 3, false);
    assertEquals(
        new AckRules.Decision(11, true, true, 0, -1), decide(dropping, 11, AckStatus.FAILED));
  }

  @Test
  void atOneOffsetTheStrongestSignalWins() {
    var decision = decide(BEFORE, 11, AckStatus.RETRY, 11, AckStatus.DLQ, 11, AckStatus.FAILED);
    assertEquals(11, decision.deadLetter());
  }

  @Property
  void theCursorNeverGoesBackAndNeverPassesWhatWasNamed(
      @ForAll @Size(max = 8) List<@IntRange(min = 10, max = 14) Integer> offsets,
      @ForAll @Size(max = 8) List<AckStatus> statuses) {
    int n = Math.min(offsets.size(), statuses.size());
    var named = offsets.stream().limit(n).mapToLong(Integer::longValue).toArray();
    var decision = AckRules.decide(BEFORE, named, statuses.subList(0, n).toArray(AckStatus[]::new));
    assertTrue(decision.committed() >= BEFORE.committed());
    long highest = java.util.Arrays.stream(named).max().orElse(BEFORE.committed());
    assertTrue(decision.committed() <= highest);
    boolean signalled = statuses.subList(0, n).stream().anyMatch(s -> s != AckStatus.COMPLETED);
    assertEquals(signalled || decision.committed() == 14, decision.release());
  }
}
