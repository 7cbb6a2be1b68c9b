package dev.queencell.tidy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Rules about how files belong together. Each returns what it found, a line each. */
final class TreeRules {
  private static final Pattern PACKAGE_FOLDER =
      Pattern.compile("(.*/)?src/(main|test)/java/(dev/.*)/[^/]+\\.java");
  private static final Pattern MODULE = Pattern.compile("^(.*?/)?src/");
  private static final Pattern MIGRATION = Pattern.compile("[VR][0-9_.]*__\\w+\\.sql");
  private static final Pattern LINK = Pattern.compile("\\[[^\\]]*\\]\\(([^)\\s]+)\\)");
  private static final Pattern HEADING = Pattern.compile("^#{1,6} +(.*)$");
  private static final Pattern FENCE = Pattern.compile("^\\s*(```|~~~)");

  private TreeRules() {}

  /** Every package of a module says in a {@code package-info.java} what it owns. */
  static List<String> packagesWithoutInfo(List<Tracked> files) {
    var packages = new TreeSet<String>();
    var described = new TreeSet<String>();
    for (var file : files) {
      var parts = PACKAGE_FOLDER.matcher(file.path());
      if (parts.matches()) {
        var name = (parts.group(1) == null ? "" : parts.group(1)) + parts.group(3);
        packages.add(name);
        if (file.name().equals("package-info.java")) {
          described.add(name);
        }
      }
    }
    packages.removeAll(described);
    return packages.stream().map(name -> name + ": no package-info.java").toList();
  }

  /** An SQL resource that no code of its module names is dead. */
  static List<String> deadSql(List<Tracked> files) {
    var found = new ArrayList<String>();
    for (var sql : files) {
      if (sql.isSql() && !MIGRATION.matcher(sql.name()).matches()) {
        var stem = sql.name().substring(0, sql.name().length() - ".sql".length());
        var named = Pattern.compile("[\"/]" + Pattern.quote(stem) + "(\\.sql)?\"");
        boolean isNamed =
            files.stream()
                .filter(Tracked::isJava)
                .filter(file -> module(file).equals(module(sql)))
                .anyMatch(file -> named.matcher(file.text()).find());
        if (!isNamed) {
          found.add(sql.path() + ": no code names it");
        }
      }
    }
    return found;
  }

  /** Links between the repository's own files lead somewhere, also to a heading. */
  static List<String> brokenLinks(List<Tracked> files) {
    var paths = files.stream().map(Tracked::path).collect(Collectors.toSet());
    var found = new ArrayList<String>();
    for (var file : files) {
      if (file.isMarkdown()) {
        for (var target : links(file)) {
          if (!leadsSomewhere(file, target, files, paths)) {
            found.add("%s: link to %s leads nowhere".formatted(file.path(), target));
          }
        }
      }
    }
    return found;
  }

  private static boolean leadsSomewhere(
      Tracked from, String target, List<Tracked> files, Set<String> paths) {
    int hash = target.indexOf('#');
    var place = hash < 0 ? target : target.substring(0, hash);
    var path = place.isEmpty() ? from.path() : resolved(from.path(), place);
    if (hash < 0) {
      return paths.contains(path) || paths.stream().anyMatch(one -> one.startsWith(path + "/"));
    }
    return files.stream()
        .filter(file -> file.path().equals(path))
        .anyMatch(file -> anchors(file).contains(target.substring(hash + 1)));
  }

  private static List<String> links(Tracked file) {
    return prose(file).stream()
        .flatMap(line -> LINK.matcher(line).results())
        .map(link -> link.group(1))
        .filter(target -> !target.contains("://") && !target.startsWith("mailto:"))
        .toList();
  }

  /** As the usual viewers make them: lower case, blanks to dashes, most punctuation dropped. */
  private static Set<String> anchors(Tracked file) {
    return prose(file).stream()
        .map(HEADING::matcher)
        .filter(Matcher::matches)
        .map(
            heading ->
                heading
                    .group(1)
                    .strip()
                    .toLowerCase(Locale.ROOT)
                    .replaceAll("[^\\p{L}\\p{N} _-]", "")
                    .replace(' ', '-'))
        .collect(Collectors.toSet());
  }

  /** The lines outside of code blocks. */
  private static List<String> prose(Tracked file) {
    var lines = new ArrayList<String>();
    boolean isCode = false;
    for (var line : file.lines()) {
      if (FENCE.matcher(line).find()) {
        isCode = !isCode;
      } else if (!isCode) {
        lines.add(line.replaceAll("`[^`]*`", "code"));
      }
    }
    return lines;
  }

  private static String resolved(String from, String target) {
    var folder = Path.of("/" + from).getParent();
    return folder.resolve(target).normalize().toString().substring(1);
  }

  private static String module(Tracked file) {
    var module = MODULE.matcher(file.path());
    return module.find() ? String.valueOf(module.group(1)) : "";
  }
}
