package dev.queencell.loader.account;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class VerdictTest {
  private static final Causes.Counts NO_CAUSE = new Causes().counts();

  private static Causes.Counts ackOfTenFailed() {
    var causes = new Causes();
    causes.ackFailed(10);
    return causes.counts();
  }

  /** A tenant with these counts and 100 delivered messages. */
  private static TenantTotals tenant(
      long missing, long duplicate, long cross, long order, long refused, Causes.Counts causes) {
    return new TenantTotals(
        0,
        100,
        0,
        100,
        0,
        refused,
        0,
        100,
        missing,
        0,
        duplicate,
        0,
        cross,
        order,
        0,
        0,
        0,
        0,
        true,
        causes,
        List.of(new Offence("missing", 0, 0, 7), new Offence("duplicate", 0, 0, 8)));
  }

  private static Verdict.Kind kind(TenantTotals tenant) {
    return Verdict.of(tenant).kind();
  }

  @Test
  void aTenantThatGotEverythingOncePasses() {
    assertEquals(Verdict.Kind.PASS, kind(tenant(0, 0, 0, 0, 0, NO_CAUSE)));
  }

  @Test
  void refusalsMakeItAnEnforcedPass() {
    assertEquals(Verdict.Kind.PASS_ENFORCED, kind(tenant(0, 0, 0, 0, 5, NO_CAUSE)));
  }

  @Test
  void aMissingMessageFailsWhateverElseHappened() {
    var verdict = Verdict.of(tenant(1, 0, 0, 0, 5, ackOfTenFailed()));
    assertEquals(Verdict.Kind.FAIL, verdict.kind());
    assertEquals(List.of(new Offence("missing", 0, 0, 7)), verdict.offenders());
  }

  @Test
  void duplicatesFailOnlyBeyondWhatTheCausesExplain() {
    assertEquals(Verdict.Kind.FAIL, kind(tenant(0, 1, 0, 0, 0, NO_CAUSE)));
    assertEquals(Verdict.Kind.PASS, kind(tenant(0, 10, 0, 0, 0, ackOfTenFailed())));
    assertEquals(Verdict.Kind.FAIL, kind(tenant(0, 11, 0, 0, 0, ackOfTenFailed())));
  }

  @Test
  void anAnnouncedRedeliveryIsNoCause() {
    var causes = new Causes();
    causes.redelivered();
    assertEquals(Verdict.Kind.FAIL, kind(tenant(0, 1, 0, 0, 0, causes.counts())));
  }

  @Test
  void disorderFailsUnlessRedeliveryWasCaused() {
    assertEquals(Verdict.Kind.FAIL, kind(tenant(0, 0, 0, 1, 0, NO_CAUSE)));
    assertEquals(Verdict.Kind.PASS, kind(tenant(0, 0, 0, 1, 0, ackOfTenFailed())));
  }

  @Test
  void aCrossedMessageAlwaysFails() {
    assertEquals(Verdict.Kind.FAIL, kind(tenant(0, 0, 1, 0, 5, ackOfTenFailed())));
  }

  @Test
  void aRunIsAsBadAsItsWorstTenant() {
    var good = tenant(0, 0, 0, 0, 0, NO_CAUSE);
    var enforced = tenant(0, 0, 0, 0, 5, NO_CAUSE);
    var bad = tenant(0, 0, 1, 0, 0, NO_CAUSE);
    assertEquals(Verdict.Kind.PASS, Verdict.over(List.of(good, good)).kind());
    assertEquals(Verdict.Kind.PASS_ENFORCED, Verdict.over(List.of(good, enforced)).kind());
    var verdict = Verdict.over(List.of(enforced, bad, good));
    assertEquals(Verdict.Kind.FAIL, verdict.kind());
    assertTrue(verdict.reasons().getFirst().contains("another tenant"));
  }

  @Property(tries = 1000)
  void aTenantFailsExactlyWhenACountThatNothingExcusesIsThere(
      @ForAll @IntRange(max = 2) int missing,
      @ForAll @IntRange(max = 12) int duplicate,
      @ForAll @IntRange(max = 1) int cross,
      @ForAll @IntRange(max = 1) int order,
      @ForAll @IntRange(max = 1) int refused,
      @ForAll boolean caused) {
    var causes = caused ? ackOfTenFailed() : NO_CAUSE;
    boolean fails =
        missing > 0 || cross > 0 || duplicate > (caused ? 10 : 0) || (order > 0 && !caused);
    var passed = refused > 0 ? Verdict.Kind.PASS_ENFORCED : Verdict.Kind.PASS;
    assertEquals(
        fails ? Verdict.Kind.FAIL : passed,
        kind(tenant(missing, duplicate, cross, order, refused, causes)));
  }

  @Test
  void twelveTenantsWithThreeThrottledOnesPassUntilOneOfTheirMessagesIsLost() {
    var tenants = new ArrayList<TenantTotals>();
    for (int i = 0; i < 12; i++) {
      tenants.add(tenant(0, i < 3 ? 4 : 0, 0, 0, i < 3 ? 50_000 : 0, ackOfTenFailed()));
    }
    assertEquals(Verdict.Kind.PASS_ENFORCED, Verdict.over(tenants).kind());
    tenants.set(1, tenant(1, 4, 0, 0, 50_000, ackOfTenFailed()));
    assertEquals(Verdict.Kind.FAIL, Verdict.over(tenants).kind());
  }
}
