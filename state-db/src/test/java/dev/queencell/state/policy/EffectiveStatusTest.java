package dev.queencell.state.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EffectiveStatusTest {
  @ParameterizedTest
  @CsvSource({
    "active, active, ACTIVE",
    "grace, active, PUSH_BLOCKED",
    "active, push_blocked, PUSH_BLOCKED",
    "grace, push_blocked, PUSH_BLOCKED",
    "suspended, active, SUSPENDED",
    "deleting, active, SUSPENDED",
    "active, suspended, SUSPENDED",
    "active, deleting, SUSPENDED",
    "grace, suspended, SUSPENDED",
    "suspended, push_blocked, SUSPENDED",
    "something new, active, SUSPENDED",
    "active, something new, SUSPENDED",
    "push_blocked, active, SUSPENDED",
    "active, grace, SUSPENDED",
  })
  void theWorseOfTheTwoWins(String tenant, String cluster, EffectiveStatus expected) {
    assertEquals(expected, EffectiveStatus.of(tenant, cluster));
  }

  @Test
  void aMissingStatusIsTakenAsSuspended() {
    assertEquals(EffectiveStatus.SUSPENDED, EffectiveStatus.of(null, "active"));
    assertEquals(EffectiveStatus.SUSPENDED, EffectiveStatus.of("active", null));
  }
}
