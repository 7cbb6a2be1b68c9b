package dev.queencell.loader.merge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.loader.fixture.FixtureFaults;
import dev.queencell.loader.fixture.FixtureServer;
import dev.queencell.loader.fixture.ModeRun;
import dev.queencell.loader.options.BadOptionException;
import dev.queencell.loader.order.OrderMode;
import dev.queencell.service.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

@Timeout(60)
class MergeCommandTest {
  private final FixtureServer server = new FixtureServer();
  private final ByteArrayOutputStream said = new ByteArrayOutputStream();
  @TempDir private Path directory;

  @AfterEach
  void stop() {
    server.close();
  }

  /** A real run's record under another name. */
  private Path record(String name, int messages) throws Exception {
    var run =
        new ModeRun(directory)
            .run(
                OrderMode.OPTIONS,
                OrderMode::run,
                "-url %s -queue %s -messages %d -pop-timeout 300 -drain 1"
                    .formatted(server.url(), name, messages));
    var text = Files.readString(directory.resolve("r.json"));
    assertTrue(run.exit() == 0 || run.exit() == 3, run::said);
    return Files.writeString(
        directory.resolve(name + ".json"),
        text.replace("\"runId\" : \"r\"", "\"runId\" : \"" + name + "\""));
  }

  private int merge(Object... arguments) {
    return MergeCommand.run(
        new PrintStream(said, true, StandardCharsets.UTF_8),
        java.util.Arrays.stream(arguments).map(Object::toString).toArray(String[]::new));
  }

  private JsonNode merged() throws IOException {
    return Json.mapper().readTree(Files.readAllBytes(directory.resolve("m.json")));
  }

  @Test
  void countsAreSummedHistogramsAddedAndTheResultIsARecordAgain() throws Exception {
    var a = record("a", 100);
    var b = record("b", 250);
    assertEquals(0, merge("-out", directory.resolve("m.json"), a, b), said::toString);

    var m = merged();
    assertEquals(350, m.at("/totals/delivered").asInt());
    assertEquals(350, m.at("/latencyMs/count").asInt());
    var one = Json.mapper().readTree(Files.readAllBytes(a));
    var other = Json.mapper().readTree(Files.readAllBytes(b));
    assertEquals(
        Math.max(one.at("/latencyMs/max").asDouble(), other.at("/latencyMs/max").asDouble()),
        m.at("/latencyMs/max").asDouble());
    assertEquals(
        one.path("offeredPerSec").asDouble() + other.path("offeredPerSec").asDouble(),
        m.path("offeredPerSec").asDouble(),
        1e-6);
    assertEquals("PASS", m.path("verdict").asString());
    assertEquals(List.of(), ModeRun.schemaProblems(directory.resolve("m.json")));
    assertTrue(said.toString(StandardCharsets.UTF_8).contains("never ran together"));
  }

  @Test
  void theVerdictIsTheWorst() throws Exception {
    var good = record("good", 50);
    server.faults().order(FixtureFaults.Kind.FORGET, 1);
    var bad = record("bad", 50);
    assertEquals(3, merge("-out=" + directory.resolve("m.json"), good, bad), said::toString);
    assertEquals(1, merged().path("missing").asInt());
    assertEquals("FAIL", merged().path("verdict").asString());
  }

  @Test
  void whatCannotBeMergedIsSaidInWords() throws Exception {
    var a = record("a", 10);
    assertEquals(1, merge(a, a));
    assertEquals(1, merge(directory.resolve("none.json")));
    assertEquals(1, merge(Files.writeString(directory.resolve("x.json"), "{")));
    var text = said.toString(StandardCharsets.UTF_8);
    assertTrue(text.contains("run a is given twice"), text);
    assertTrue(text.contains("no such file or directory: "), text);
    assertTrue(text.contains("x.json is no JSON"), text);
    assertThrows(BadOptionException.class, this::merge);
    assertThrows(BadOptionException.class, () -> merge("-fast", a));
  }
}
