package dev.queencell.testsupport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class JavaProcessIT {
  private static final Duration DEADLINE = Duration.ofSeconds(30);
  private static final String GREETER = Greeter.class.getName();

  @Test
  void aServiceIsAwaitedByItsReadyLineAndGetsItsEnvironment() throws Exception {
    try (var greeter = JavaProcess.ofClass(GREETER).env("GREETING", "good day").start()) {
      assertEquals("good day", get(greeter.awaitReady(), DEADLINE));
    }
  }

  @Test
  void aFrozenProcessAnswersNothingUntilItGoesOn() throws Exception {
    try (var greeter = JavaProcess.ofClass(GREETER).env("GREETING", "x").start()) {
      var url = greeter.awaitReady();
      greeter.pause();
      assertThrows(IOException.class, () -> get(url, Duration.ofMillis(300)));
      greeter.resume();
      assertEquals("x", get(url, DEADLINE));
    }
  }

  @Test
  void aKilledProcessIsGoneAndOneThatIsAskedStopsInItsOwnWay() {
    try (var killed = JavaProcess.ofClass(GREETER).env("GREETING", "x").start();
        var asked = JavaProcess.ofClass(GREETER).env("GREETING", "x").start()) {
      killed.awaitReady();
      asked.awaitReady();
      killed.kill9();
      assertFalse(killed.isAlive());
      asked.terminate();
      assertEquals(128 + 15, asked.exitCode(DEADLINE));
    }
  }

  @Test
  void waitingForALineOfAnEndedProcessFailsWithWhatItPrinted() {
    try (var greeter = JavaProcess.ofClass(GREETER).start()) {
      var failure = assertThrows(AssertionError.class, greeter::awaitReady);
      assertTrue(failure.getMessage().contains("GREETING is not set"), failure::getMessage);
      assertEquals(1, greeter.exitCode(DEADLINE));
    }
  }

  @Test
  void aLineThatWasPrintedBeforeIsFoundToo() {
    try (var greeter = JavaProcess.ofClass(GREETER).env("GREETING", "x").start()) {
      greeter.awaitReady();
      assertEquals(
          "starting", greeter.awaitLine(Pattern.compile("^starting$"), Duration.ofMillis(1)));
    }
  }

  private static String get(URI url, Duration timeout) throws IOException, InterruptedException {
    try (var client = HttpClient.newHttpClient()) {
      var request = HttpRequest.newBuilder(url).timeout(timeout).build();
      try {
        return client.send(request, BodyHandlers.ofString()).body();
      } finally {
        client.shutdownNow();
      }
    }
  }
}
