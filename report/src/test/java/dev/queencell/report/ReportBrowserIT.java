package dev.queencell.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.options.ColorScheme;
import dev.queencell.report.page.Pictures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A report in a real browser: an installed Chromium, driven by Playwright, which downloads none. It
 * is skipped where there is no Chromium on the PATH. Screenshots are left in {@code target/}.
 */
class ReportBrowserIT {
  private static final double DEADLINE_MS = 120_000;

  /** How many different colours a canvas has; one is a blank. */
  private static final String COLOURS =
      """
      canvas => {
        const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
        return new Set(new Uint32Array(data.buffer)).size;
      }""";

  @TempDir private static Path folder;
  private static Playwright playwright;
  private static Browser browser;

  @BeforeAll
  static void openBrowser() throws IOException {
    var chromium = Pictures.chromium();
    Assumptions.assumeTrue(
        chromium.isPresent(), "skipped: no Chromium on the PATH (install the package chromium)");
    Recorded.RUNS.forEach(
        run -> {
          try {
            Recorded.copy(run, folder);
          } catch (IOException e) {
            throw new IllegalStateException(e);
          }
        });
    assertEquals(0, ReportMain.commandLine().execute(folder.toString()));
    playwright =
        Playwright.create(
            new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
    browser =
        playwright
            .chromium()
            .launch(
                new BrowserType.LaunchOptions()
                    .setExecutablePath(chromium.get())
                    .setTimeout(DEADLINE_MS)
                    .setChromiumSandbox(!"root".equals(System.getProperty("user.name")))
                    .setArgs(List.of("--disable-gpu", "--disable-dev-shm-usage")));
  }

  @AfterAll
  static void closeBrowser() {
    if (playwright != null) {
      playwright.close();
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = ColorScheme.class,
      names = {"LIGHT", "DARK"})
  void everyFigureIsDrawnShowsValuesUnderThePointerAndNothingIsAskedOfTheNetwork(ColorScheme scheme)
      throws IOException {
    var complaints = new ArrayList<String>();
    var requests = new ArrayList<String>();
    try (var context =
        browser.newContext(
            new Browser.NewContextOptions().setColorScheme(scheme).setViewportSize(1400, 1000))) {
      var page = context.newPage();
      page.setDefaultTimeout(DEADLINE_MS);
      page.onRequest(request -> requests.add(request.url()));
      page.onPageError(complaints::add);
      page.onConsoleMessage(message -> complaints.add(message.text()));
      page.navigate(folder.resolve("report.html").toUri().toString());
      var charts = page.locator(".chart");
      assertTrue(charts.count() >= 17, () -> "figures: " + charts.count());
      for (int i = 0; i < charts.count(); i++) {
        var chart = charts.nth(i);
        var name = chart.getAttribute("data-figure");
        int colours = (Integer) chart.locator("canvas").first().evaluate(COLOURS);
        assertTrue(colours > 8, () -> name + " is blank: " + colours + " colours");
      }
      assertShows(page, "p1-cpu", "broker");
      assertShows(page, "p1-throughput", "/s");
      assertShows(page, "percentiles", " s");
      page.screenshot(
          new Page.ScreenshotOptions()
              .setFullPage(true)
              .setPath(
                  Path.of("target", "report-" + scheme.name().toLowerCase(Locale.ROOT) + ".png")));
      assertEquals(
          scheme == ColorScheme.DARK ? "rgb(20, 23, 27)" : "rgb(255, 255, 255)", ground(page));
    }
    assertEquals(List.of(), complaints);
    assertEquals(List.of(folder.resolve("report.html").toUri().toString()), requests);
  }

  @Test
  void aHostileNameNeitherRunsNorLoadsAnything() throws IOException {
    var hostile = Files.createDirectory(folder.resolve("hostile"));
    var name = "<img src=x onerror=document.title='run'>";
    for (var suffix : List.of(".cpu.csv", ".pg.csv", ".json")) {
      Files.copy(Recorded.folder().resolve("br-2000" + suffix), hostile.resolve(name + suffix));
    }
    assertEquals(0, ReportMain.commandLine().execute("--title", "safe", hostile.toString()));
    var requests = new ArrayList<String>();
    try (var context = browser.newContext()) {
      var page = context.newPage();
      page.setDefaultTimeout(DEADLINE_MS);
      page.onRequest(request -> requests.add(request.url()));
      page.navigate(hostile.resolve("report.html").toUri().toString());
      assertShows(page, "p1-cpu", "broker");
      assertEquals("safe", page.title());
      assertTrue(page.locator("#points").innerText().contains(name), "shown as it is");
      assertEquals(1, requests.size());
    }
  }

  private static String ground(Page page) {
    return (String) page.evaluate("getComputedStyle(document.body).backgroundColor");
  }

  /** Points at the middle of a figure and waits for what it says there. */
  private static void assertShows(Page page, String figure, String text) {
    var chart = page.locator("[data-figure='" + figure + "']");
    chart.scrollIntoViewIfNeeded();
    chart.hover(new Locator.HoverOptions().setPosition(220, 100));
    chart.locator(".tip").waitFor();
    var shown = chart.locator(".tip").innerText();
    assertTrue(shown.contains(text), () -> figure + " shows " + shown);
  }
}
