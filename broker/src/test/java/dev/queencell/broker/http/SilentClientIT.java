package dev.queencell.broker.http;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.queencell.service.ClientProbes;
import dev.queencell.testsupport.JavaProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A client whose network is gone says nothing; its parked pop is given up by the kernel's probes,
 * as soon as the settings say. What a client says that ends in order, or resets, is in {@link
 * LongPollTest}.
 */
@Timeout(180)
class SilentClientIT {
  private static final Pattern GIVEN_UP = Pattern.compile("given up after (\\d+) ms");
  private static final Duration DEADLINE = Duration.ofMinutes(2);

  @Test
  void aPopOfASilentClientIsGivenUpWithinTheProbesAndSoonerWithSoonerOnes() throws Exception {
    assumeTrue(
        canHaveANetwork(),
        "skipped: this machine lets nobody have a network of its own (unshare --net)");
    long usual = givenUpAfterMs(ClientProbes.DEFAULT);
    long sooner = givenUpAfterMs(new ClientProbes(1, 1, 1));
    System.out.printf("silent clients: %d ms, with sooner probes %d ms%n", usual, sooner);
    assertTrue(sooner < usual, sooner + " ms, usually " + usual);
  }

  private static boolean canHaveANetwork() throws InterruptedException {
    try {
      var command = new ProcessBuilder("unshare", "-rn", "ip", "link", "set", "lo", "up");
      return command.redirectErrorStream(true).start().waitFor() == 0;
    } catch (IOException e) {
      return false;
    }
  }

  private static long givenUpAfterMs(ClientProbes probes) {
    try (var process =
        JavaProcess.ofClass(SilentClient.class.getName())
            .under("unshare", "-rn")
            .argument(Integer.toString(probes.afterSeconds()))
            .argument(Integer.toString(probes.intervalSeconds()))
            .argument(Integer.toString(probes.probes()))
            .start()) {
      var matcher = GIVEN_UP.matcher(process.awaitLine(GIVEN_UP, DEADLINE));
      assertTrue(matcher.find());
      return Long.parseLong(matcher.group(1));
    }
  }
}
