package dev.queencell.cell.relay;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code cell.jar relay}: carries connections, and does to them what the lines on its standard
 * input say: {@code pass}, {@code delay MS}, {@code stall}, {@code cut}. Answers each with {@code
 * ok LINE} when it is in effect. Ends with its input.
 */
@Command(
    name = "relay",
    description = "Carries TCP connections, and delays, stalls or cuts them as its input says.",
    mixinStandardHelpOptions = true)
public final class RelayCommand implements Callable<Integer> {
  private static final Pattern TARGET = Pattern.compile("([^:]+):([0-9]{1,5})");
  private static final Pattern LINE = Pattern.compile("pass|stall|cut|delay ([0-9]{1,6})");

  @Spec private CommandSpec spec;

  @Option(names = "--listen", required = true, description = "Port on the loopback address.")
  private int port;

  @Option(names = "--to", required = true, description = "HOST:PORT.")
  private String to;

  @Override
  public Integer call() throws IOException {
    var target = TARGET.matcher(to);
    if (!target.matches()) {
      throw new ParameterException(
          spec.commandLine(), "--to is '%s'; it takes HOST:PORT".formatted(to));
    }
    var address = new InetSocketAddress(target.group(1), Integer.parseInt(target.group(2)));
    try (var relay = Relay.open(port, address);
        var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      answer("ok pass");
      for (var line = lines.readLine(); line != null; line = lines.readLine()) {
        answer(obey(relay, line));
      }
    }
    return 0;
  }

  private static String obey(Relay relay, String line) {
    var match = LINE.matcher(line);
    if (!match.matches()) {
      return "no '%s'; it takes pass, delay MS, stall or cut".formatted(line);
    }
    relay.set(
        switch (line) {
          case "pass" -> Relay.Mode.PASS;
          case "stall" -> Relay.Mode.STALL;
          case "cut" -> Relay.Mode.CUT;
          default -> Relay.Mode.delay(Long.parseLong(match.group(1)));
        });
    return "ok " + line;
  }

  private void answer(String text) {
    spec.commandLine().getOut().println(text);
    spec.commandLine().getOut().flush();
  }
}
