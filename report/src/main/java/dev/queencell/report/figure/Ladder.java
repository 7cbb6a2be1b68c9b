package dev.queencell.report.figure;

import dev.queencell.report.figure.Series.Mark;
import dev.queencell.report.figure.Series.Point;
import dev.queencell.report.read.Measured;
import dev.queencell.report.read.MeasuredPoint;
import dev.queencell.report.read.SeriesFile;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/**
 * Steps at several rates: what was achieved, at which latency and cost. Where {@code
 * tools/ceiling.sh} measured them its own judgement counts; points that somebody measured one by
 * one, of one folder and target at several rates, are a ladder without a judgement.
 *
 * @param folder where its points lie
 * @param target empty when it is not known
 * @param ceiling what was found, in words; empty where nobody judged
 * @param p99LimitMs how late messages might be; NaN where nobody judged
 * @param steps from the lowest rate up
 */
public record Ladder(
    String folder, String target, String ceiling, double p99LimitMs, List<Step> steps) {
  /** As the loader prints its configuration; 0 is no rate of its own. */
  private static final Pattern RATE = Pattern.compile("(?:^| )rate=([0-9.]+)(?: |$)");

  /**
   * One rate.
   *
   * @param achievedShare of what was offered, the part that was pushed and delivered; NaN where
   *     nobody judged
   * @param failure why the step does not count; empty when it does
   */
  public record Step(
      double ratePerSec,
      String runId,
      double pushedPerSec,
      double deliveredPerSec,
      double achievedShare,
      double p50Ms,
      double p99Ms,
      double cellCores,
      double cellCpuMicrosPerMessage,
      double throttledShare,
      String limitedBy,
      String failure) {
    /** A step of points that nobody judged: none of them failed. */
    static Step of(MeasuredPoint point) {
      return new Step(
          rate(point),
          point.runId(),
          point.number("achievedPushPerSec"),
          point.number("deliveredPerSec"),
          Double.NaN,
          point.number("latencyMs", "p50"),
          point.number("latencyMs", "p99"),
          point.number("cellCores"),
          point.number("cellCpuMicrosPerMessage"),
          point.number("throttledShare"),
          point.text("limitedBy"),
          "");
    }

    static Step of(JsonNode rung) {
      return new Step(
          number(rung, "ratePerSec"),
          rung.path("runId").asString(""),
          number(rung, "achievedPushPerSec"),
          number(rung, "deliveredPerSec"),
          number(rung, "achievedShare"),
          number(rung, "p50Ms"),
          number(rung, "p99Ms"),
          number(rung, "cellCores"),
          number(rung, "cellCpuMicrosPerMessage"),
          number(rung, "throttledShare"),
          rung.path("limitedBy").asString(""),
          rung.path("failure").asString(""));
    }

    private static double number(JsonNode rung, String key) {
      return rung.path(key).asDouble(Double.NaN);
    }
  }

  public Ladder {
    steps = List.copyOf(steps);
  }

  /** Whether a script judged the steps. */
  public boolean isJudged() {
    return !ceiling.isEmpty();
  }

  /** One for each folder that a script climbed in, else for each target with at least two rates. */
  public static List<Ladder> of(Measured measured) {
    var ladders = new ArrayList<Ladder>();
    for (var folder : measured.folders()) {
      var judged = measured.series(SeriesFile.Kind.LADDER, folder).map(Ladder::judged);
      // What was compared at some rates is told by the comparison.
      boolean compared = measured.series(SeriesFile.Kind.COMPARISON, folder).isPresent();
      if (judged.isPresent()) {
        judged.filter(ladder -> !ladder.steps().isEmpty()).ifPresent(ladders::add);
      } else if (!compared) {
        ladders.addAll(inferred(folder, measured.in(folder)));
      }
    }
    return ladders;
  }

  private static Ladder judged(SeriesFile file) {
    var document = file.document();
    return new Ladder(
        file.folder(),
        document.path("plan").path("target").asString(""),
        document.path("ceiling").path("text").asString("no word of a ceiling"),
        document.path("plan").path("p99LimitMs").asDouble(Double.NaN),
        document
            .path("rungs")
            .valueStream()
            .map(Step::of)
            .sorted(Comparator.comparingDouble(Step::ratePerSec))
            .toList());
  }

  private static List<Ladder> inferred(String folder, List<MeasuredPoint> points) {
    return points.stream()
        .filter(point -> rate(point) > 0)
        .sorted(Comparator.comparingDouble(Ladder::rate))
        .collect(Collectors.groupingBy(Load::of, LinkedHashMap::new, Collectors.toList()))
        .entrySet()
        .stream()
        .filter(one -> one.getValue().stream().mapToDouble(Ladder::rate).distinct().count() > 1)
        .map(
            one ->
                new Ladder(
                    folder,
                    one.getKey().target(),
                    "",
                    Double.NaN,
                    one.getValue().stream().map(Step::of).toList()))
        .toList();
  }

  /** What was loaded how, but for rate and times: other shapes are no steps of a ladder. */
  private record Load(String target, String shape) {
    private static final Pattern OF_A_POINT =
        Pattern.compile(
            "(?:^| )(?:rate|rate-events|run-id|out|note|duration|drain|ramp-sec)=[^ ]*");

    static Load of(MeasuredPoint point) {
      var config = point.record().path("config").asString("");
      return new Load(point.text("target"), OF_A_POINT.matcher(config).replaceAll(""));
    }
  }

  /** The rate that was asked for, else the one that was offered; NaN when neither is known. */
  public static double rate(MeasuredPoint point) {
    var asked = RATE.matcher(point.record().path("config").asString(""));
    if (asked.find()) {
      double rate = Double.parseDouble(asked.group(1));
      if (rate > 0) {
        return rate;
      }
    }
    return Math.rint(point.number("offeredPerSec"));
  }

  /** Which ladder it is. */
  public String title() {
    var last = folder.substring(folder.lastIndexOf('/') + 1);
    return target.isEmpty()
        ? "Ladder in " + last
        : "Ladder in %s, target %s".formatted(last, target);
  }

  /** Ladders of one target are told apart by their folders. */
  private String name(List<Ladder> all) {
    var own = target.isEmpty() ? "delivered" : target;
    boolean alone = all.stream().filter(other -> other.target().equals(target)).count() == 1;
    return alone ? own : own + " " + folder.substring(folder.lastIndexOf('/') + 1);
  }

  private String colour(List<Ladder> all) {
    boolean alone = all.stream().filter(other -> other.target().equals(target)).count() == 1;
    return alone ? target.equals("broker") ? "broker" : "proxy" : "run" + all.indexOf(this);
  }

  static Figure figure(List<Ladder> ladders) {
    var delivered = new ArrayList<Series>();
    var latency = new ArrayList<Series>();
    var cost = new ArrayList<Series>();
    var ideal = new ArrayList<Point>();
    for (var ladder : ladders) {
      var name = ladder.name(ladders);
      var colour = ladder.colour(ladders);
      delivered.add(ladder.dots(name, colour, Step::deliveredPerSec));
      latency.add(ladder.dots(name, colour, Step::p99Ms));
      cost.add(ladder.dots(name, colour, Step::cellCpuMicrosPerMessage));
      ladder.steps().forEach(step -> ideal.add(new Point(step.ratePerSec(), step.ratePerSec())));
    }
    delivered.add(failed(ladders, Step::deliveredPerSec));
    latency.add(failed(ladders, Step::p99Ms));
    ladders.stream()
        .mapToDouble(Ladder::p99LimitMs)
        .filter(Double::isFinite)
        .distinct()
        .forEach(limit -> latency.add(Series.limit("limit", limit)));
    ideal.sort(Comparator.comparingDouble(Point::x));
    delivered.add(new Series("offered", "offered", Mark.LINE, ideal));
    return new Figure(
            "ladder",
            "By rate",
            "",
            Figure.Axis.OFFERED,
            Double.NaN,
            Double.NaN,
            List.of(
                Figure.Pane.of(
                    "delivered", Figure.Unit.PER_SECOND, 3, delivered.toArray(Series[]::new)),
                Figure.Pane.logarithmic("latency p99", Figure.Unit.MS, 2, latency),
                Figure.Pane.of(
                    "CPU of the cell per message",
                    Figure.Unit.MICROS,
                    2,
                    cost.toArray(Series[]::new))))
        .pruned();
  }

  /** A ring around each step that does not count. */
  private static Series failed(List<Ladder> ladders, ToDoubleFunction<Step> value) {
    var rings =
        ladders.stream()
            .flatMap(ladder -> ladder.steps().stream())
            .filter(step -> !step.failure().isEmpty())
            .map(step -> new Point(step.ratePerSec(), value.applyAsDouble(step)))
            .toList();
    return new Series("did not pass", "failed", Mark.SCATTER, rings);
  }

  private Series dots(String name, String colour, ToDoubleFunction<Step> value) {
    var dots =
        steps.stream()
            .map(step -> new Point(step.ratePerSec(), value.applyAsDouble(step)))
            .toList();
    return new Series(name, colour, Mark.DOTS, dots);
  }
}
