package dev.queencell.report.page;

import dev.queencell.report.read.Measured;
import dev.queencell.report.read.MeasuredPoint;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What has to be known before any number is believed: the verdict, and each point's reservations.
 *
 * @param passed whether all points passed
 * @param failed whether some point failed
 * @param headline the verdict in one line
 * @param notes points with reservations
 */
public record Findings(boolean passed, boolean failed, String headline, List<Note> notes) {
  /** What is to be said of a point. */
  public record Note(String point, String text) {}

  private static final String PASS = "PASS";
  private static final String FAIL = "FAIL";
  private static final double MUCH_THROTTLED = 0.2;
  private static final String SERIES = "the series";
  private static final int REASONS_SHOWN = 3;

  static Findings of(Measured measured) {
    var points = measured.points();
    var failed = points.stream().filter(point -> point.text("verdict").equals(FAIL)).toList();
    var open =
        points.stream()
            .filter(point -> !point.text("verdict").startsWith(PASS))
            .filter(point -> !point.text("verdict").equals(FAIL))
            .toList();
    var notes = new ArrayList<Note>();
    for (var problem : measured.problems()) {
      notes.add(new Note(SERIES, problem + "; what it would tell is told by the points"));
    }
    for (var point : points) {
      var texts = of(point);
      if (!texts.isEmpty()) {
        notes.add(new Note(point.label(), String.join("; ", texts)));
      }
    }
    return new Findings(
        failed.isEmpty() && open.isEmpty(),
        !failed.isEmpty(),
        headline(points, failed, open),
        notes);
  }

  private static String headline(
      List<MeasuredPoint> points, List<MeasuredPoint> failed, List<MeasuredPoint> open) {
    int passed = points.size() - failed.size() - open.size();
    if (passed == points.size()) {
      // Not "passed": a step of a ladder whose messages all came may still have been too slow.
      var where = points.size() == 1 ? "" : " at all %d points".formatted(passed);
      return "PASS: every message accounted for" + where;
    }
    var text = new StringBuilder(failed.isEmpty() ? "No verdict" : "FAIL");
    text.append(": %d of %d points passed".formatted(passed, points.size()));
    if (!failed.isEmpty()) {
      text.append("; failed: ").append(names(failed));
    }
    if (!open.isEmpty()) {
      text.append("; without a verdict: ").append(names(open));
    }
    return text.toString();
  }

  private static String names(List<MeasuredPoint> points) {
    return points.stream().map(MeasuredPoint::label).collect(Collectors.joining(", "));
  }

  /** The reservations of one point, the gravest first. */
  static List<String> of(MeasuredPoint point) {
    var notes = new ArrayList<String>();
    if (point.text("verdict").equals(FAIL)) {
      notes.add(
          "failed: missing %s, duplicate %s, other tenant’s %s"
              .formatted(
                  Units.count(point.number("missing")),
                  Units.count(point.number("duplicate")),
                  Units.count(point.number("crossTenant"))));
      point
          .record()
          .path("reasons")
          .valueStream()
          .limit(REASONS_SHOWN)
          .forEach(reason -> notes.add(reason.asString("")));
    }
    notes.addAll(point.problems());
    if (point.flag("partial")) {
      notes.add("cut short: the loader was interrupted");
    }
    if (point.flag("loaderSaturated")) {
      var why = point.record().path("loader").path("saturation").asString("");
      notes.add(
          "the loader was saturated, its latencies are its own"
              + (why.isEmpty() ? "" : ": " + why));
    }
    if (point.number("throttledShare") >= MUCH_THROTTLED) {
      notes.add(
          "throttled in %s of the cap’s periods"
              .formatted(Units.share(point.number("throttledShare"))));
    }
    if (point.summary().path("capped").isBoolean() && !point.flag("capped")) {
      notes.add("no cap was in force: compare it with nothing that had one");
    }
    addOddities(point, notes);
    return notes;
  }

  private static void addOddities(MeasuredPoint point, List<String> notes) {
    var errors =
        point.record().path("errors").properties().stream()
            .map(
                one ->
                    "%s × %s"
                        .formatted(Units.count(one.getValue().asDouble(Double.NaN)), one.getKey()))
            .collect(Collectors.joining(", "));
    if (!errors.isEmpty()) {
      notes.add("requests that failed: " + errors);
    }
    var restarted =
        point.summary().path("restarts").properties().stream()
            .filter(one -> one.getValue().asDouble(0) > 0)
            .map(one -> "%s × %s".formatted(Units.count(one.getValue().asDouble()), one.getKey()))
            .collect(Collectors.joining(", "));
    if (!restarted.isEmpty()) {
      notes.add("started again during the run: " + restarted);
    }
    double coverage = point.number("sampleCoverage");
    if (coverage < 1) {
      notes.add("samples cover %s of the steady window".formatted(Units.share(coverage)));
    }
    var problems = point.summary().path("samplerProblems");
    if (!problems.isEmpty()) {
      var first = problems.path(0).asString(problems.path(0).toString());
      notes.add(
          problems.size() == 1
              ? "the sampler had a problem: " + first
              : "the sampler had %s problems, the first: %s"
                  .formatted(Units.count(problems.size()), first));
    }
    if (point.text("window").equals("whole run")) {
      notes.add("no steady window on record: its numbers span the whole run");
    }
  }

  /** The word of the verdict with a sign that is read without colour. */
  static String verdict(MeasuredPoint point) {
    var verdict = point.text("verdict");
    if (verdict.isEmpty()) {
      return Units.UNKNOWN;
    }
    var sign = verdict.startsWith(PASS) ? "✓ " : verdict.equals(FAIL) ? "✗ " : "? ";
    return sign + verdict;
  }

  /** What kept the point from going faster. */
  static String limit(MeasuredPoint point) {
    return limit(point.text("limitedBy"), point.number("throttledShare"));
  }

  /** The same in words, with how much the cap held it back. */
  static String limit(String limitedBy, double throttled) {
    var text =
        switch (limitedBy) {
          case "nothing" -> "nothing";
          case "cpu-cap" -> "CPU cap";
          case "commits" -> "commits";
          case "loader" -> "loader saturated";
          case "quota" -> "quota";
          case "" -> Units.UNKNOWN;
          case String other -> other;
        };
    return throttled >= MUCH_THROTTLED && !text.equals(Units.UNKNOWN)
        ? "%s (throttled %s)".formatted(text, Units.share(throttled))
        : text;
  }
}
