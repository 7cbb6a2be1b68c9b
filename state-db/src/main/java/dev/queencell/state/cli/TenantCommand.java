package dev.queencell.state.cli;

import dev.queencell.service.Json;
import java.io.PrintStream;

/** Runs one command of {@code tools/tenant.sh}, which says where the tenant state is. */
public final class TenantCommand {
  private static final int OK = 0;
  private static final int FAILED = 1;
  private static final int BAD_USAGE = 2;

  private TenantCommand() {}

  /** Ends the process with 0, 1 for a refusal, 2 for a bad command line. */
  @SuppressWarnings("SystemOut")
  public static void main(String[] words) throws InterruptedException {
    System.exit(run(words, System.out, System.err));
  }

  /** The same without ending the process. */
  public static int run(String[] words, PrintStream out, PrintStream err)
      throws InterruptedException {
    try {
      var given = new Arguments(words);
      var url = given.option("state-url").orElse("http://127.0.0.1:6720");
      var tokenFile =
          given
              .option("admin-token-file")
              .orElseThrow(() -> CommandException.ofUsage("--admin-token-file is missing"));
      boolean json = given.flag("json");
      var command = given.word("the command");
      try (var plane = new ControlPlane(url, Secrets.read(tokenFile))) {
        var printout = new Commands(plane).run(command, given);
        out.println(
            json
                ? Json.mapper().writerWithDefaultPrettyPrinter().writeValueAsString(printout.json())
                : printout.text());
      }
      return OK;
    } catch (CommandException e) {
      err.println("tenant.sh: " + e.getMessage());
      if (e.isUsage()) {
        err.println("  look further: tools/tenant.sh -h");
      }
      return e.isUsage() ? BAD_USAGE : FAILED;
    }
  }
}
