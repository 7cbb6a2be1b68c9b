package dev.queencell.tidy;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Rules about the text of a single file. Each returns what it found, a line each. */
final class TextRules {
  private static final List<String> WITHOUT_TABS =
      List.of(".java", ".sh", ".bash", ".bats", ".sql", ".xml", ".md", ".json", ".properties");

  private static final List<Forbidden> FORBIDDEN =
      List.of(
          new Forbidden("unfinished work", "\\b(TODO|FIXME|XXX|HACK|WIP)\\b"),
          new Forbidden("unfinished work", "(?i)\\bnot (yet )?implemented\\b"),
          new Forbidden("a developer's trace", "printStackTrace\\(\\)"),
          new Forbidden("a path of one machine", "(?<![\\w.$}])/root/"),
          new Forbidden("a path of one machine", "(?<![\\w.$}])/home/[a-z]"),
          new Forbidden("a path of one machine", "/usr/lib/jvm/[a-z]"),
          new Forbidden(
              "a registry's host",
              "https?://(?!maven\\.apache\\.org/(POM|xsd)/)[\\w.-]*(maven|npm|pypi|crates|debian)"));

  private static final Pattern ARCHIVED_REPORT = Pattern.compile("docs/measurements/.*\\.html");

  /** The library's element begins with its licence. */
  private static final Pattern CHART_LIBRARY =
      Pattern.compile(
          "<script>\\s*/\\*\\s*\\* Licensed to the Apache Software Foundation.*?</script>",
          Pattern.DOTALL);

  private static final Pattern GENERATED =
      Pattern.compile("(^|/)target/|\\.(class|jar|log|iml|orig|rej)$|(^|/)\\.jqwik-database$");

  private static final Pattern VAGUE_FOLDER =
      Pattern.compile("/(util|utils|common|helper|helpers|manager|managers|impl)/");
  private static final Pattern VAGUE_CLASS =
      Pattern.compile("/\\w*(Util|Utils|Helper|Helpers|Manager|Impl)\\.java$");

  private record Forbidden(String what, Pattern pattern) {
    private Forbidden(String what, String pattern) {
      this(what, Pattern.compile(pattern));
    }
  }

  private TextRules() {}

  static List<String> lineEnds(Tracked file) {
    var found = new ArrayList<String>();
    if (!file.text().isEmpty() && !file.text().endsWith("\n")) {
      found.add(file.path() + ": no line break at the end");
    }
    if (file.text().endsWith("\n\n")) {
      found.add(file.path() + ": empty lines at the end");
    }
    if (file.text().indexOf('\r') >= 0) {
      found.add(file.path() + ": carriage returns");
    }
    return found;
  }

  static List<String> blanks(Tracked file) {
    boolean tabsForbidden = WITHOUT_TABS.stream().anyMatch(file.path()::endsWith);
    return findings(
        file,
        line -> {
          if (tabsForbidden && line.indexOf('\t') >= 0) {
            return "a tab";
          }
          return line.endsWith(" ") || line.endsWith("\t") ? "blanks at the end" : null;
        });
  }

  static List<String> strayWords(Tracked file) {
    return findings(
        withoutChartLibrary(file),
        line ->
            FORBIDDEN.stream()
                .filter(forbidden -> forbidden.pattern().matcher(line).find())
                .map(Forbidden::what)
                .findFirst()
                .orElse(null));
  }

  /**
   * An archived report without the chart library that stands in it: code of others, shortened until
   * it has any word. What the report says of its own is looked at as everything else is.
   */
  private static Tracked withoutChartLibrary(Tracked file) {
    return ARCHIVED_REPORT.matcher(file.path()).matches()
        ? new Tracked(
            file.path(),
            file.isExecutable(),
            CHART_LIBRARY.matcher(file.text()).replaceFirst("<script></script>"))
        : file;
  }

  static List<String> generated(String path) {
    return GENERATED.matcher(path).find() ? List.of(path + ": a generated file") : List.of();
  }

  static List<String> vagueNames(String path) {
    boolean vague = VAGUE_FOLDER.matcher(path).find() || VAGUE_CLASS.matcher(path).find();
    return vague ? List.of(path + ": a name that says no duty") : List.of();
  }

  /**
   * A script is executable and names its interpreter; a part of one, which others source, is not
   * and tells the linter which shell it is for.
   */
  static List<String> scripts(Tracked file) {
    // Resources are run by code, which chooses the shell and the mode.
    if (!file.isShell() || file.path().contains("/src/main/resources/")) {
      return List.of();
    }
    var first = file.lines().isEmpty() ? "" : file.lines().getFirst();
    boolean isScript = first.equals("#!/usr/bin/env bash") || first.equals("#!/usr/bin/env bats");
    boolean isPart = first.startsWith("# shellcheck shell=bash");
    if (!isScript && !isPart) {
      return List.of(file.path() + ":1: neither a script's first line nor a sourced part's");
    }
    boolean isTest = file.path().endsWith(".bats");
    if (!isTest && isScript != file.isExecutable()) {
      return List.of(
          file.path() + (isScript ? ": a script that is not executable" : ": an executable part"));
    }
    return List.of();
  }

  private interface LineRule {
    String check(String line);
  }

  private static List<String> findings(Tracked file, LineRule rule) {
    var found = new ArrayList<String>();
    var lines = file.lines();
    for (int i = 0; i < lines.size(); i++) {
      var what = rule.check(lines.get(i));
      if (what != null) {
        found.add("%s:%d: %s: %s".formatted(file.path(), i + 1, what, lines.get(i).strip()));
      }
    }
    return found;
  }
}
