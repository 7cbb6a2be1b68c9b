package dev.queencell.loader.run;

import dev.queencell.loader.account.TenantTotals;
import dev.queencell.loader.account.Verdict;
import dev.queencell.loader.measure.Health;
import java.util.Locale;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What a run says at its end: accounts, errors, rates, latencies, the verdict last. */
final class FinalLines {
  private static final int TENANT_LINES_MAX = 20;

  private final Console console;
  private final ObjectNode record;

  FinalLines(Console console, ObjectNode record) {
    this.console = console;
    this.record = record;
  }

  void say(RunFrame.Findings findings, Health health, String text, boolean partial) {
    var totals = findings.totals();
    for (var t : totals.subList(0, Math.min(totals.size(), TENANT_LINES_MAX))) {
      console.line(account(t, findings.verified()));
    }
    if (totals.size() > TENANT_LINES_MAX) {
      console.line("… and %d more tenants".formatted(totals.size() - TENANT_LINES_MAX));
    }
    if (!record.path("errors").isEmpty()) {
      console.line("errors " + record.get("errors"));
    }
    console.line(
        String.format(
            Locale.ROOT,
            "offered %.1f/s achieved %.1f/s delivered %.1f/s over %.1f s, shed %d",
            number("offeredPerSec"),
            number("achievedPushPerSec"),
            number("deliveredPerSec"),
            number("steadySeconds"),
            record.at("/steadyTotals/shed").asLong(0)));
    latency("push, from schedule", "pushLatencyMs");
    latency("push, from send", "pushFromSendLatencyMs");
    latency("ack", "ackLatencyMs");
    latency("end to end", "latencyMs");
    console.line(
        String.format(
            Locale.ROOT,
            "loader %.2f of %d cores, late p99 %.2f ms, gc %d ms in %d pauses",
            health.cores(),
            health.availableCores(),
            health.latenessP99Micros() / 1000.0,
            health.gcMs(),
            health.gcCount()));
    if (health.saturated()) {
      console.line("THE LOADER WAS SATURATED, so it measured itself: " + health.saturation());
    }
    unmadeFaults();
    findings.verdict().reasons().forEach(r -> console.line("  " + r));
    findings.verdict().offenders().forEach(o -> console.line("  " + o));
    var detail = findings.detail().isEmpty() ? "" : " (" + findings.detail() + ")";
    console.line("VERDICT: " + text + detail + (partial ? " (partial: interrupted)" : ""));
  }

  /** A fault that never came about proves nothing about the checker. */
  private void unmadeFaults() {
    for (var fault : record.path("faults").properties()) {
      long asked = fault.getValue().path("asked").asLong(0);
      long injected = fault.getValue().path("injected").asLong(0);
      if (injected < asked) {
        console.line(
            "FAULTS ARE MISSING: %d of %d %s were injected; the run had no more messages for them"
                .formatted(injected, asked, fault.getKey()));
      }
    }
  }

  private static String account(TenantTotals t, boolean verified) {
    return "tenant %d accepted %d delivered %d missing %d backlog %d duplicate %d extra %d cross %d order %d refused %d failed %d shed %d %s"
        .formatted(
            t.tenant(),
            t.accepted(),
            t.delivered(),
            t.missing(),
            t.backlog(),
            t.duplicate(),
            t.extra(),
            t.cross(),
            t.outOfOrder(),
            t.refused(),
            t.failed(),
            t.shed(),
            verified ? Verdict.of(t).kind().text() : "UNVERIFIED");
  }

  private void latency(String what, String key) {
    JsonNode p = record.path(key);
    if (p.path("count").asLong(0) > 0) {
      console.line(
          String.format(
              Locale.ROOT,
              "%-19s ms: mean %.2f p50 %.2f p90 %.2f p95 %.2f p99 %.2f p99.9 %.2f max %.2f (%d)",
              what,
              p.path("mean").asDouble(),
              p.path("p50").asDouble(),
              p.path("p90").asDouble(),
              p.path("p95").asDouble(),
              p.path("p99").asDouble(),
              p.path("p999").asDouble(),
              p.path("max").asDouble(),
              p.path("count").asLong()));
    }
  }

  private double number(String key) {
    return record.path(key).asDouble(0);
  }
}
