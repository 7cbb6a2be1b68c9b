package dev.queencell.report;

import dev.queencell.report.figure.Figure;
import dev.queencell.report.page.HtmlPage;
import dev.queencell.report.page.MarkdownPage;
import dev.queencell.report.page.Pictures;
import dev.queencell.report.page.Report;
import dev.queencell.report.read.Folders;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Entry point of {@code report.jar}: reads the points of some folders and writes a page about them.
 * Exit 2 for a wrong command line, 1 when there is nothing to report or a file can't be written; a
 * report about failed points is a report all the same.
 */
@Command(
    name = "report.jar",
    description = "Writes one HTML page about measured points.",
    mixinStandardHelpOptions = true)
public final class ReportMain implements Callable<Integer> {
  private static final String HTML = ".html";

  @Spec private CommandSpec spec;

  @Parameters(arity = "1..*", paramLabel = "DIR", description = "Folders with points.")
  private List<Path> folders;

  @Option(
      names = "--out",
      paramLabel = "FILE.html",
      description = "The page; by default report.html in the first DIR.")
  private Path out;

  @Option(names = "--title", paramLabel = "TEXT", description = "By default the folders' names.")
  private String title;

  @Option(names = "--markdown", description = "Also FILE.md, for a pull request.")
  private boolean markdown;

  @Option(
      names = "--png",
      description = "Also a picture of each figure in FILE-png/, by an installed Chromium.")
  private boolean png;

  public static void main(String[] args) {
    Locale.setDefault(Locale.ROOT);
    System.exit(commandLine().execute(args));
  }

  /** The command line, as {@link #main} runs it; tests give it their own writers. */
  static CommandLine commandLine() {
    return new CommandLine(new ReportMain())
        .setParameterExceptionHandler(ReportMain::wrongUse)
        .setExecutionExceptionHandler(ReportMain::failed);
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    var page = out == null ? folders.getFirst().resolve("report" + HTML) : out;
    if (!page.getFileName().toString().endsWith(HTML)) {
      throw new ParameterException(
          spec.commandLine(),
          "--out is '%s'; it takes a name that ends in %s".formatted(page, HTML));
    }
    var report =
        Report.of(
            titleText(), Instant.now().truncatedTo(ChronoUnit.SECONDS), Folders.read(folders));
    Files.writeString(page, HtmlPage.render(report));
    say(report.headline());
    say(page);
    var pictures = png ? pictures(report, page) : Map.<String, Path>of();
    if (markdown) {
      var file = page.resolveSibling(stem(page) + ".md");
      Files.writeString(file, MarkdownPage.render(report, pictures));
      say(file);
    }
    return 0;
  }

  /** By figure id, relative to the page; none where no browser is installed. */
  private Map<String, Path> pictures(Report report, Path page)
      throws IOException, InterruptedException {
    var chromium = Pictures.chromium();
    if (chromium.isEmpty()) {
      var looked = String.join(", ", Pictures.PROGRAMS);
      spec.commandLine()
          .getErr()
          .printf("no pictures: no Chromium on the PATH (looked for %s)%n", looked);
      return Map.of();
    }
    List<Figure> figures =
        report.groups().stream().flatMap(group -> group.figures().stream()).toList();
    var absolute = page.toAbsolutePath();
    var folder = absolute.resolveSibling(stem(page) + "-png");
    var files = Pictures.draw(chromium.get(), absolute, figures, folder);
    say("%s (%d pictures)".formatted(page.resolveSibling(stem(page) + "-png"), files.size()));
    var relative = new LinkedHashMap<String, Path>();
    files.forEach((id, file) -> relative.put(id, absolute.getParent().relativize(file)));
    return relative;
  }

  private String titleText() {
    if (title != null) {
      return title;
    }
    var names =
        folders.stream()
            .map(folder -> folder.toAbsolutePath().normalize().getFileName())
            .map(String::valueOf)
            .toList();
    return "Queen Cell: " + String.join(", ", names);
  }

  private static String stem(Path page) {
    var name = page.getFileName().toString();
    return name.substring(0, name.length() - HTML.length());
  }

  private void say(Object line) {
    spec.commandLine().getOut().println(line);
  }

  private static int wrongUse(ParameterException e, String[] args) {
    var command = e.getCommandLine();
    command.getErr().printf("report.sh: %s%n", e.getMessage());
    command.getErr().printf("  look further: tools/report.sh -h%n");
    return CommandLine.ExitCode.USAGE;
  }

  private static int failed(Exception e, CommandLine command, CommandLine.ParseResult parsed) {
    PrintWriter err = command.getErr();
    err.printf("report.sh: %s%n", e.getMessage() == null ? e.toString() : e.getMessage());
    if ("1".equals(System.getenv("QUEENCELL_TRACE"))) {
      e.printStackTrace(err);
    }
    return CommandLine.ExitCode.SOFTWARE;
  }
}
