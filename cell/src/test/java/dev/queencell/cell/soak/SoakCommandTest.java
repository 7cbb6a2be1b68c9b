package dev.queencell.cell.soak;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.cell.output.Json;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Checks of a run whose files the test writes as the loader, the sampler and the status do. */
class SoakCommandTest {
  private static final long MIB = 1024 * 1024;
  @TempDir private Path folder;
  private final StringWriter said = new StringWriter();

  private void intervals(int until, double perSecond, double p99Ms) throws IOException {
    var text = new StringBuilder("seconds,offered,delivered,endToEndP99Ms\n");
    for (int second = 10; second <= until; second += 10) {
      text.append("%d,1000,%.0f,%.1f\n".formatted(second, 10 * perSecond, p99Ms));
    }
    Files.writeString(folder.resolve("r-interval.csv"), text);
  }

  private void database(long bytes, long deadTuples) throws IOException {
    Files.writeString(
        folder.resolve("r.pg.csv"),
        "monotonicMs,databaseBytes,deadTuples\n1,%d,%d\n2,,\n3,99".formatted(bytes, deadTuples));
  }

  private void status(long brokerBytes, int restarts) throws IOException {
    var status = Json.object();
    var broker = status.putArray("processes").addObject().put("name", "broker");
    broker.put("residentBytes", brokerBytes).put("restarts", restarts);
    Files.writeString(folder.resolve("status.json"), Json.text(status));
  }

  private int check(String... more) {
    var command = new CommandLine(new SoakCommand()).setOut(new PrintWriter(said));
    var line =
        "--out %s --run-id r --status %s --every 60 --warm-up 2"
            .formatted(folder, folder.resolve("status.json"));
    var words = new java.util.ArrayList<>(java.util.List.of(line.split(" ", -1)));
    words.addAll(java.util.List.of(more));
    return command.execute(words.toArray(String[]::new));
  }

  @Test
  void aCheckSpansWhatCameSinceTheOneBefore() throws IOException {
    database(64 * MIB, 5);
    status(200 * MIB, 1);
    intervals(60, 100, 7);
    assertEquals(0, check());
    intervals(120, 150, 9);
    assertEquals(0, check("--last"));
    var lines = said.toString().lines().toList();
    assertEquals(3, lines.size(), said::toString);
    assertTrue(lines.get(1).matches(" +1 +60 +100\\.0 +7\\.0 +64\\.0 +5 +1 +\\? \\? \\? 200 \\?"));
    assertTrue(lines.get(2).matches(" +2 +120 +150\\.0 +9\\.0 .*"), said::toString);
    var record = Json.mapper().readTree(Files.readString(folder.resolve("r.soak.json")));
    assertEquals(2, record.path("checks").asInt());
    assertTrue(record.path("ended").asBoolean());
    assertTrue(record.path("trends").isEmpty());
    assertEquals(150, record.at("/last/deliveredPerSec").asInt());
    assertTrue(record.at("/last/proxyResidentBytes").isNull());
    assertEquals(3, Files.readAllLines(folder.resolve("r.soak.csv")).size());
  }

  @Test
  void aLeakEndsTheRunAndIsInTheRecord() throws IOException {
    database(64 * MIB, 5);
    int checks = 0;
    int exit = 0;
    while (exit == 0 && checks < 30) {
      checks++;
      intervals(60 * checks, 100, 7);
      status((200 + 10L * checks) * MIB, 0);
      exit = check();
    }
    assertEquals(SoakCommand.EXIT_TREND, exit, said::toString);
    assertEquals(2 + Trend.VALUES_MIN, checks, "the first that can be judged after the warm-up");
    assertTrue(said.toString().contains("trend: brokerResidentBytes moved by +"), said::toString);
    var record = Json.mapper().readTree(Files.readString(folder.resolve("r.soak.json")));
    assertEquals("brokerResidentBytes", record.at("/trends/0/series").asString());
    assertEquals(600.0 * MIB, record.at("/trends/0/perHour").asDouble(), MIB);
  }

  @Test
  void aProcessThatIsRestartedAgainAndAgainEndsTheRun() throws IOException {
    status(200 * MIB, 3);
    assertEquals(0, check());
    status(200 * MIB, 4);
    assertEquals(0, check(), "once may be an accident");
    assertEquals(0, check());
    status(200 * MIB, 5);
    assertEquals(SoakCommand.EXIT_TREND, check());
    assertTrue(said.toString().contains("trend: broker was restarted before 2 of 4 checks"));
  }

  @Test
  void whatIsNotThereIsNotKnown() throws IOException {
    Files.writeString(folder.resolve("status.json"), "{}");
    assertEquals(0, check());
    assertTrue(
        said.toString().lines().toList().get(1).matches(" +1( +\\?){6} +\\? \\? \\? \\? \\?"));
  }
}
