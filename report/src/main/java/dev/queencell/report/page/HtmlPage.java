package dev.queencell.report.page;

import com.samskivert.mustache.Mustache;
import dev.queencell.report.figure.Figures;
import dev.queencell.report.figure.Ladder;
import dev.queencell.report.read.MeasuredPoint;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/**
 * The report as one HTML file that needs nothing from elsewhere: style, script and the chart
 * library stand in it. The template escapes whatever comes from a file. Its content security policy
 * names the two scripts by their hashes and forbids every request, so that even a text that got
 * past the escaping would neither run nor load anything.
 */
public final class HtmlPage {
  private static final String TEMPLATE = "report.mustache";
  private static final String CHART_POM = "/META-INF/maven/org.webjars.npm/echarts/pom.properties";

  private HtmlPage() {}

  /** What a ladder found, as the template asks for it. */
  private record Climbed(String title, String ceiling, Table table) {}

  public static String render(Report report) throws IOException {
    var points = report.points();
    var findings = report.findings();
    var library = closed(chartLibrary());
    var script = closed(resource("report.js"));
    Map<String, Object> page = new HashMap<>();
    page.put("title", report.title());
    page.put("made", report.made().toString());
    page.put("findings", findings);
    page.put("verdictClass", findings.passed() ? "pass" : findings.failed() ? "fail" : "open");
    page.put("points", Tables.points(points));
    page.put("costs", Tables.costs(points));
    page.put("comparisons", report.comparisons().stream().map(Compared::of).toList());
    page.put(
        "ladders",
        report.ladders().stream().filter(Ladder::isJudged).map(HtmlPage::climbed).toList());
    page.put("groups", report.groups());
    page.put("overTime", report.hasFiguresOverTime());
    page.put("single", points.size() == 1);
    page.put("manyPoints", points.size() > Figures.POINTS_OVER_TIME_MAX);
    page.put("pointsOverTimeMax", Figures.POINTS_OVER_TIME_MAX);
    page.put("waits", waits(points));
    page.put("budgets", BudgetTables.of(points));
    page.put("identity", Identity.of(points));
    page.put("settings", Identity.settings(points));
    page.put("figures", FigureData.json(report.groups()));
    page.put("style", resource("report.css"));
    page.put("library", library);
    page.put("script", script);
    page.put("libraryHash", hash(library));
    page.put("scriptHash", hash(script));
    var table = resource("table.mustache");
    return Mustache.compiler()
        .escapeHTML(true)
        .withLoader(name -> new StringReader(table))
        .compile(resource(TEMPLATE))
        .execute(page);
  }

  private static Climbed climbed(Ladder ladder) {
    return new Climbed(ladder.title(), ladder.ceiling(), Tables.ladder(ladder));
  }

  private static Table waits(List<MeasuredPoint> points) {
    var table =
        Table.of(
            Table.Column.text("point"),
            Table.Column.text("waited for, in the steady window"),
            Table.Column.number("backends seen"),
            Table.Column.number("share"));
    for (var point : points) {
      point
          .summary()
          .path("topWaitEvents")
          .valueStream()
          .forEach(
              event ->
                  table.row(
                      point.label(),
                      event.path("event").asString(Units.UNKNOWN),
                      Units.count(event.path("backends").asDouble(Double.NaN)),
                      Units.share(event.path("share").asDouble(Double.NaN))));
    }
    return table;
  }

  /** A script that holds no end of its own element. */
  private static String closed(String script) {
    return script.replace("</script", "<\\/script");
  }

  private static String hash(String script) {
    try {
      var digest = MessageDigest.getInstance("SHA-256");
      return Base64.getEncoder()
          .encodeToString(digest.digest(script.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  private static String chartVersion() throws IOException {
    var properties = new Properties();
    try (var in = open(CHART_POM)) {
      properties.load(in);
    }
    return properties.getProperty("version");
  }

  private static String chartLibrary() throws IOException {
    return resource(
        "/META-INF/resources/webjars/echarts/%s/dist/echarts.min.js".formatted(chartVersion()));
  }

  private static String resource(String name) throws IOException {
    try (var in = open(name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static InputStream open(String name) throws IOException {
    var in = HtmlPage.class.getResourceAsStream(name);
    if (in == null) {
      throw new IOException("the jar holds no " + name);
    }
    return in;
  }
}
