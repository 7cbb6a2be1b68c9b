package dev.queencell.tidy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** That each rule fails on what it is for, and lets pass what only looks like it. */
class RulesTest {
  private static Tracked file(String path, String text) {
    return new Tracked(path, false, text);
  }

  @Test
  void aMissingLineBreakAndOneTooManyAreFound() {
    assertEquals(1, TextRules.lineEnds(file("a.md", "text")).size());
    assertEquals(1, TextRules.lineEnds(file("a.md", "text\n\n")).size());
    assertEquals(1, TextRules.lineEnds(file("a.md", "text\r\n")).size());
    assertEquals(List.of(), TextRules.lineEnds(file("a.md", "text\n")));
    assertEquals(List.of(), TextRules.lineEnds(file("a.md", "")));
  }

  @Test
  void tabsAndTrailingBlanksAreFoundWithTheirLine() {
    assertEquals(List.of("A.java:2: a tab: b"), TextRules.blanks(file("A.java", "a\n\tb\n")));
    assertEquals(
        List.of("A.java:1: blanks at the end: a"), TextRules.blanks(file("A.java", "a \nb\n")));
    assertEquals(List.of(), TextRules.blanks(file("a.csv", "a\tb\n")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "// TODO later",
        "# FIXME",
        "XXX",
        "throw new X(\"not yet implemented\")",
        "e.printStackTrace();",
        "HOME=/root/x",
        "at /home/jo/src",
        "JAVA_HOME=/usr/lib/jvm/temurin-25",
        "https://maven.example.org/releases",
        "http://npm.example.org"
      })
  void strayWordsAreFound(String line) {
    assertEquals(1, TextRules.strayWords(file("a.sh", line + "\n")).size());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "mktemp -d tmp.XXXXXX",
        "http://maven.apache.org/POM/4.0.0",
        "$HOME/root/x",
        "queue/root/item",
        "for jdk in \"/usr/lib/jvm\"/*",
        "GET /api/root"
      })
  void whatOnlyLooksStrayPasses(String line) {
    assertEquals(List.of(), TextRules.strayWords(file("a.sh", line + "\n")));
  }

  @Test
  void anArchivedReportMayHoldTheChartLibraryAndNothingElseThatIsStray() {
    var library =
        "<script>\n/*\n* Licensed to the Apache Software Foundation (ASF)\n*/XXX</script>\n";
    var path = "docs/measurements/ladder/report.html";
    assertEquals(List.of(), TextRules.strayWords(file(path, library)));
    assertEquals(1, TextRules.strayWords(file(path, library + "<p>/root/out</p>\n")).size());
    assertEquals(1, TextRules.strayWords(file(path, "<script>XXX</script>\n" + library)).size());
    assertEquals(1, TextRules.strayWords(file(path, library + library)).size());
    assertEquals(1, TextRules.strayWords(file("docs/report.html", library)).size());
  }

  @Test
  void generatedFilesAndVagueNamesAreFound() {
    assertEquals(1, TextRules.generated("state-db/.jqwik-database").size());
    assertEquals(1, TextRules.generated("cell/target/x.txt").size());
    assertEquals(List.of(), TextRules.generated("cell/src/main/java/dev/x/Target.java"));
    assertEquals(1, TextRules.vagueNames("a/src/main/java/dev/x/util/A.java").size());
    assertEquals(1, TextRules.vagueNames("a/src/main/java/dev/x/QueueManager.java").size());
    assertEquals(List.of(), TextRules.vagueNames("a/src/main/java/dev/x/Implied.java"));
  }

  @Test
  void aScriptThatCanNotBeRunAndAPartThatCanAreFound() {
    var script = "#!/usr/bin/env bash\necho\n";
    var part = "# shellcheck shell=bash\necho\n";
    assertEquals(List.of(), TextRules.scripts(new Tracked("a.sh", true, script)));
    assertEquals(List.of(), TextRules.scripts(new Tracked("a.sh", false, part)));
    assertEquals(1, TextRules.scripts(new Tracked("a.sh", false, script)).size());
    assertEquals(1, TextRules.scripts(new Tracked("a.sh", true, part)).size());
    assertEquals(1, TextRules.scripts(new Tracked("a.sh", true, "#!/bin/sh\n")).size());
    assertEquals(1, TextRules.scripts(new Tracked(".ci/run", false, script)).size());
  }

  @Test
  void longFilesAndMethodsAreFound() throws IOException {
    var longMethod = "class A {\n  void f() {\n" + "    g();\n".repeat(69) + "  }\n}\n";
    var shortMethod = "class B {\n  void f() {\n" + "    g();\n".repeat(68) + "  }\n}\n";
    var longFile = "class C {}\n" + "// x\n".repeat(450);
    assertEquals(
        Set.of("x/A.java#f", "x/C.java"),
        JavaSizes.tooLong(
            List.of(
                file("x/A.java", longMethod),
                file("x/B.java", shortMethod),
                file("x/C.java", longFile))));
  }

  @Test
  void aPackageWithoutADescriptionIsFound() {
    var described = file("m/src/main/java/dev/x/a/package-info.java", "");
    var files =
        List.of(
            described,
            file("m/src/test/java/dev/x/a/ATest.java", ""),
            file("m/src/main/java/dev/x/b/B.java", ""),
            file("n/src/main/java/dev/x/a/A.java", ""));
    assertEquals(
        List.of("m/dev/x/b: no package-info.java", "n/dev/x/a: no package-info.java"),
        TreeRules.packagesWithoutInfo(files));
  }

  @Test
  void sqlThatNoCodeOfItsModuleNamesIsFound() {
    var sql = "m/src/main/resources/dev/x/";
    var files =
        List.of(
            file(sql + "used.sql", ""),
            file(sql + "also_used.sql", ""),
            file(sql + "dead.sql", ""),
            file(sql + "V1__first.sql", ""),
            file("m/src/main/java/dev/x/A.java", "read(\"used.sql\"); sql(\"store/also_used\");"),
            file("n/src/main/java/dev/x/B.java", "\"dead.sql\""));
    assertEquals(List.of(sql + "dead.sql: no code names it"), TreeRules.deadSql(files));
  }

  @Test
  void brokenLinksAreFound() {
    var files =
        List.of(
            file(
                "docs/a.md",
                """
                # The *first* part: x/y
                [ok](b.md) [ok](../README.md#how-to) [ok](#the-first-part-xy) [ok](https://x.y/z)
                [folder](../docs) `[code](nowhere.md)`
                ```
                [code](nowhere.md)
                ```
                [bad](c.md) [bad](b.md#none)
                """),
            file("docs/b.md", "## Other\n"),
            file("README.md", "## How to\n"));
    var found = TreeRules.brokenLinks(files);
    assertEquals(2, found.size(), found::toString);
    assertTrue(found.getFirst().contains("c.md"));
    assertTrue(found.getLast().contains("b.md#none"));
  }
}
