package dev.queencell.report.page;

import dev.queencell.cell.output.Json;
import dev.queencell.report.figure.Figure;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A PNG of each figure, drawn by an installed Chromium: it opens the page once with {@code
 * #pictures} behind its name, whose script then draws every figure at one size in the light colours
 * and leaves their bytes in the document, which Chromium prints. Nothing listens, nothing is
 * downloaded, and the browser's profile lives as long as the call.
 */
public final class Pictures {
  /** Names of the program, the likeliest first. */
  public static final List<String> PROGRAMS =
      List.of("chromium", "chromium-browser", "google-chrome", "google-chrome-stable");

  private static final int DEADLINE_SECONDS = 120;
  private static final Pattern ANSWER = Pattern.compile("<pre id=\"pictures\"[^>]*>([^<]*)</pre>");
  private static final String DATA_URL = "data:image/png;base64,";

  private Pictures() {}

  /** An installed Chromium on the PATH; empty where there is none. */
  public static Optional<Path> chromium() {
    var folders = Stream.of(System.getenv().getOrDefault("PATH", "").split(":")).map(Path::of);
    var all = folders.toList();
    return PROGRAMS.stream()
        .flatMap(program -> all.stream().map(folder -> folder.resolve(program)))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** How a Chromium is started that shows a file to nobody. */
  public static List<String> flags(Path profile) {
    var flags =
        new ArrayList<>(
            List.of(
                "--headless",
                "--disable-gpu",
                "--disable-background-networking",
                "--no-first-run",
                "--disable-sync",
                "--disable-component-update",
                "--disable-dev-shm-usage",
                "--user-data-dir=" + profile));
    if ("root".equals(System.getProperty("user.name"))) {
      flags.add("--no-sandbox");
    }
    return flags;
  }

  /**
   * Draws the figures of a page into a folder, which is made.
   *
   * @return the files by figure id
   * @throws IOException when the browser fails or does not end in two minutes
   */
  public static Map<String, Path> draw(Path chromium, Path page, List<Figure> figures, Path folder)
      throws IOException, InterruptedException {
    var profile = Files.createTempDirectory("report-chromium");
    try {
      var answer = ANSWER.matcher(dump(chromium, page, profile));
      if (!answer.find()) {
        throw new IOException("%s drew nothing".formatted(chromium));
      }
      Files.createDirectories(folder);
      var drawn = Json.mapper().readTree(answer.group(1).replace("&amp;", "&"));
      var files = new LinkedHashMap<String, Path>();
      for (var figure : figures) {
        var data = drawn.path(figure.id()).asString("");
        if (data.startsWith(DATA_URL)) {
          var file = folder.resolve(name(figure) + ".png");
          Files.write(file, Base64.getDecoder().decode(data.substring(DATA_URL.length())));
          files.put(figure.id(), file);
        }
      }
      return files;
    } finally {
      delete(profile);
    }
  }

  private static String dump(Path chromium, Path page, Path profile)
      throws IOException, InterruptedException {
    var command = new ArrayList<String>();
    command.add(chromium.toString());
    command.addAll(flags(profile));
    command.add("--dump-dom");
    command.add(page.toUri() + "#pictures");
    var out = profile.resolve("dom");
    var process =
        new ProcessBuilder(command)
            .redirectOutput(out.toFile())
            .redirectError(profile.resolve("log").toFile())
            .start();
    if (!process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly().waitFor();
      throw new IOException("%s did not end in %d s".formatted(chromium, DEADLINE_SECONDS));
    }
    if (process.exitValue() != 0) {
      var log = Files.readString(profile.resolve("log")).strip();
      throw new IOException(
          "%s ended with %d: %s"
              .formatted(chromium, process.exitValue(), log.substring(log.lastIndexOf('\n') + 1)));
    }
    return new String(Files.readAllBytes(out), StandardCharsets.UTF_8);
  }

  /** The figure's name for a file: what it shows, of which point. */
  private static String name(Figure figure) {
    var subject = figure.subject().isEmpty() ? "" : figure.subject() + ".";
    return (subject + figure.id()).replaceAll("[^A-Za-z0-9._-]+", "-");
  }

  private static void delete(Path folder) throws IOException {
    try (var files = Files.walk(folder)) {
      for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }
}
