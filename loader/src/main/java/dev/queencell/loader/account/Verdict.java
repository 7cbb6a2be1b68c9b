package dev.queencell.loader.account;

import java.util.ArrayList;
import java.util.List;

/**
 * The judgement on a tenant or on a run.
 *
 * @param reasons why it failed; empty otherwise
 * @param offenders the first of those that made it fail
 */
public record Verdict(Kind kind, List<String> reasons, List<Offence> offenders) {
  /** From good to bad. */
  public enum Kind {
    PASS("PASS"),
    /** Everything that is short is explained by recorded refusals and the broker's own lag. */
    PASS_ENFORCED("PASS (enforced)"),
    FAIL("FAIL");

    private final String text;

    Kind(String text) {
      this.text = text;
    }

    public String text() {
      return text;
    }
  }

  /** Judges one tenant. */
  public static Verdict of(TenantTotals t) {
    var reasons = new ArrayList<String>();
    var guilty = new ArrayList<String>();
    boolean caused = t.causes().any();
    blame(t.cross(), "%d delivered to another tenant", "cross tenant", reasons, guilty);
    blame(t.corrupt(), "%d came back changed", "corrupt", reasons, guilty);
    blame(t.neverIssued(), "%d never sent by this run", "never issued", reasons, guilty);
    blame(
        t.missing(),
        t.backlogKnown() ? "%d missing" : "%d missing (the broker's lag could not be read)",
        "missing",
        reasons,
        guilty);
    if (t.duplicate() > t.causes().explainable()) {
      blame(
          t.duplicate(),
          "%d duplicate, of which the recorded causes explain at most " + t.causes().explainable(),
          "duplicate",
          reasons,
          guilty);
    }
    // Spooled messages have no order with the others, and a redelivery may overtake.
    if (!caused && t.buffered() == 0) {
      blame(t.outOfOrder(), "%d out of order", "out of order", reasons, guilty);
    }
    if (!reasons.isEmpty()) {
      return new Verdict(
          Kind.FAIL,
          List.copyOf(reasons),
          t.offences().stream()
              .filter(o -> guilty.contains(o.kind()))
              .limit(Ledger.OFFENDERS_MAX)
              .toList());
    }
    return new Verdict(t.refused() > 0 ? Kind.PASS_ENFORCED : Kind.PASS, List.of(), List.of());
  }

  /** The judgement on a run: as bad as its worst tenant. */
  public static Verdict over(List<TenantTotals> tenants) {
    var kind = Kind.PASS;
    var reasons = new ArrayList<String>();
    var offenders = new ArrayList<Offence>();
    for (var tenant : tenants) {
      var verdict = of(tenant);
      kind = verdict.kind().compareTo(kind) > 0 ? verdict.kind() : kind;
      for (var reason : verdict.reasons()) {
        reasons.add("tenant " + tenant.tenant() + ": " + reason);
      }
      offenders.addAll(verdict.offenders());
    }
    return new Verdict(
        kind, List.copyOf(reasons), offenders.stream().limit(Ledger.OFFENDERS_MAX).toList());
  }

  private static void blame(
      long count, String text, String kind, List<String> reasons, List<String> guilty) {
    if (count > 0) {
      reasons.add(text.formatted(count));
      guilty.add(kind);
    }
  }
}
