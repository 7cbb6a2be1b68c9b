package dev.queencell.loader.order;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.loader.fixture.FixtureFaults;
import dev.queencell.loader.fixture.FixtureServer;
import dev.queencell.loader.fixture.ModeRun;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whole runs of {@code order} against a real server that misbehaves to order. */
@Timeout(60)
class OrderModeTest {
  private final FixtureServer server = new FixtureServer();
  @TempDir private Path directory;

  @AfterEach
  void stop() {
    server.close();
  }

  private ModeRun run(String options) throws InterruptedException {
    return new ModeRun(directory)
        .run(
            OrderMode.OPTIONS,
            OrderMode::run,
            "-url "
                + server.url()
                + " -messages 500 -partitions 3 -pop-timeout 300 -report 1 -drain 5 "
                + options);
  }

  @Test
  void allMessagesComeOnceAndInOrderAndTheRunEndsByItself() throws Exception {
    var run = run("-push-batch 7 -pop-batch 20");

    assertEquals(0, run.exit(), run::said);
    assertEquals(504, run.record().at("/totals/delivered").asInt(), run::said);
    assertTrue(run.said().contains("batching: 504 messages in "), run::said);
    assertEquals(List.of(), run.schemaProblems());
    assertEquals(List.of(), run.unread(), "options of the help that nothing reads");
  }

  @Test
  void oneMessageThatOvertakesAnotherIsSeen() throws Exception {
    server.faults().order(FixtureFaults.Kind.OVERTAKE, 1);
    var run = run("");
    assertEquals(3, run.exit(), run::said);
    assertEquals(1, run.record().path("orderViolations").asInt(), run::said);
  }

  @Test
  void anInterruptedRunLeavesAPartialRecordThatIsWhatItsSchemaSays() throws Exception {
    var run = new ModeRun(directory);
    run.interruption().raise();
    run.run(OrderMode.OPTIONS, OrderMode::run, "-messages 0 -url " + server.url());
    assertEquals(130, run.exit(), run::said);
    assertTrue(run.record().path("partial").asBoolean());
    assertEquals(List.of(), run.schemaProblems());
  }
}
