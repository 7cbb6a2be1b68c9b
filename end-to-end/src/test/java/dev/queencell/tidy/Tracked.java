package dev.queencell.tidy;

import java.nio.file.Path;
import java.util.List;

/**
 * A file as git has it.
 *
 * @param path from the repository's root, with slashes
 * @param isExecutable the mode that git records
 */
record Tracked(String path, boolean isExecutable, String text) {
  private static final List<String> SHELL = List.of(".sh", ".bash", ".bats");

  String name() {
    return Path.of(path).getFileName().toString();
  }

  boolean isJava() {
    return path.endsWith(".java");
  }

  boolean isSql() {
    return path.endsWith(".sql");
  }

  boolean isMarkdown() {
    return path.endsWith(".md");
  }

  boolean isShell() {
    return path.startsWith(".ci/") || SHELL.stream().anyMatch(path::endsWith);
  }

  List<String> lines() {
    return text.lines().toList();
  }
}
