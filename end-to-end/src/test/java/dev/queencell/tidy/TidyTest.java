package dev.queencell.tidy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The rules over every tracked file. */
class TidyTest {
  /** Files and methods that may be longer than the limits, each with its reason. */
  private static final Map<String, String> LONGER_WITH_REASON =
      Map.of(
          "proxy/src/test/java/dev/queencell/proxy/route/RouteClassifierTest.java"
              + "#everyListedRouteHasItsClass",
          "a table: every route with its class, a line each",
          "proxy/src/test/java/dev/queencell/proxy/EdgeIT.java",
          "one running edge with its tenants serves the contract's conformance checks",
          "proxy/src/test/java/dev/queencell/proxy/ForwardingIT.java",
          "one proxy before a broker that misbehaves serves every way of misbehaving",
          "state-db/src/test/java/dev/queencell/state/ControlPlaneIT.java",
          "one set-up serves the cases of every call of the control plane");

  /** Files that may hold what is forbidden elsewhere. */
  private static final Map<String, String> STRAY_WORDS_WITH_REASON =
      Map.of(
          "end-to-end/src/test/java/dev/queencell/tidy/TextRules.java",
          "it lists the words",
          "end-to-end/src/test/java/dev/queencell/tidy/RulesTest.java",
          "it shows the rules failing");

  private static Repository repository;

  @BeforeAll
  static void read() throws IOException, InterruptedException {
    repository = Repository.read();
  }

  @Test
  void everyFileIsText() {
    assertEquals("", String.join("\n", repository.binaries()));
  }

  @Test
  void everyFileEndsWithOneLineBreak() {
    assertNothing(TextRules::lineEnds);
  }

  @Test
  void noTabsAndNoBlanksAtTheEndOfALine() {
    assertNothing(TextRules::blanks);
  }

  @Test
  void noUnfinishedWorkAndNothingOfOneMachine() {
    assertNothing(
        file ->
            STRAY_WORDS_WITH_REASON.containsKey(file.path())
                ? List.of()
                : TextRules.strayWords(file));
  }

  @Test
  void nothingGeneratedIsTracked() {
    assertNothing(file -> TextRules.generated(file.path()));
  }

  @Test
  void namesSayADuty() {
    assertNothing(file -> TextRules.vagueNames(file.path()));
  }

  @Test
  void scriptsCanBeRunAndTheirPartsCanNot() {
    assertNothing(TextRules::scripts);
  }

  @Test
  void javaFilesAndMethodsStayShort() throws IOException {
    var java = repository.texts().stream().filter(Tracked::isJava).toList();
    assertEquals(
        String.join("\n", new TreeSet<>(LONGER_WITH_REASON.keySet())),
        String.join("\n", JavaSizes.tooLong(java)),
        "files of more than %d lines and methods of more than %d; expected are the exceptions"
            .formatted(JavaSizes.FILE_LINES_MAX, JavaSizes.METHOD_LINES_MAX));
  }

  @Test
  void everyPackageSaysWhatItOwns() {
    assertEquals("", String.join("\n", TreeRules.packagesWithoutInfo(repository.texts())));
  }

  @Test
  void everySqlResourceIsNamedByCode() {
    assertEquals("", String.join("\n", TreeRules.deadSql(repository.texts())));
  }

  @Test
  void linksInTheDocumentsLeadSomewhere() {
    assertEquals("", String.join("\n", TreeRules.brokenLinks(repository.texts())));
  }

  private static void assertNothing(Function<Tracked, List<String>> rule) {
    assertEquals(
        "",
        String.join(
            "\n", repository.texts().stream().flatMap(file -> rule.apply(file).stream()).toList()));
  }
}
