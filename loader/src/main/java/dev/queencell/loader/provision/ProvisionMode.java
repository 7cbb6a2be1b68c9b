package dev.queencell.loader.provision;

import dev.queencell.client.QueenException;
import dev.queencell.client.QueenTransport;
import dev.queencell.loader.measure.Reason;
import dev.queencell.loader.options.BadOptionException;
import dev.queencell.loader.options.CellHome;
import dev.queencell.loader.options.Option;
import dev.queencell.loader.options.OptionSet;
import dev.queencell.loader.options.Options;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** The mode {@code provision}: its options and their defaults from the cell's home. */
public final class ProvisionMode {
  private static final String SLUG = "[a-z0-9][a-z0-9-]{0,61}";
  private static final Option<Integer> TENANTS =
      Option.integer("tenants", 1, 1, 100_000, "", "how many tenants there shall be");
  private static final Option<String> PREFIX =
      Option.text(
          "prefix",
          "t",
          "[a-z][a-z0-9-]{0,40}",
          "a slug's beginning",
          "slugs are this and a number");
  private static final Option<String> PLAN =
      Option.text("plan", "bench", SLUG, "a plan's slug", "plan of new tenants");
  private static final Option<String> CELL =
      Option.text(
          "cell", null, SLUG, "a cell's slug", "cell of new tenants (the home's, else bench)");
  private static final Option<String> FILE =
      Option.text(
          "file",
          null,
          ".+",
          "a file",
          "where the tenants' keys are kept (tenants.json in the home, else here)");
  private static final Option<String> STATE_URL =
      Option.text(
          "state-url",
          null,
          "https?://.+",
          "http://HOST:PORT",
          "the tenant-state service (the home's, else http://127.0.0.1:6720)");
  private static final Option<String> TOKEN =
      Option.text(
          "token",
          null,
          ".+",
          "a token",
          "its admin token (QUEENCELL_ADMIN_TOKEN, else the file that the home names)");

  /** The mode's options. */
  public static final OptionSet OPTIONS =
      new OptionSet(
          "provision",
          "Creates tenants through the tenant-state service and keeps their API keys in a file."
              + " Run again, it creates only what is missing.",
          List.of(CellHome.HOME, TENANTS, PREFIX, PLAN, CELL, FILE, STATE_URL, TOKEN));

  private static final int EXIT_SETUP_FAILED = 1;
  private static final int EXIT_INTERRUPTED = 130;

  private ProvisionMode() {}

  /** Runs the mode; returns the exit code. */
  public static int run(
      Options options,
      Map<String, String> environment,
      PrintStream out,
      BooleanSupplier interrupted) {
    var home = CellHome.find(options, environment);
    var token = token(options, home, environment);
    var url = given(options, STATE_URL, home.get("QUEENCELL_STATE_URL", "http://127.0.0.1:6720"));
    var cell = given(options, CELL, home.get("QUEENCELL_CELL_SLUG", "bench"));
    var named = options.get(FILE);
    var file = named == null ? home.file("tenants.json") : Path.of(named);
    try (var transport = new QueenTransport(URI.create(url))) {
      var outcome =
          new Provisioner(
                  transport.controlPlane(token),
                  file,
                  options.get(PREFIX),
                  options.get(PLAN),
                  cell,
                  out::println,
                  interrupted)
              .provision(options.get(TENANTS));
      out.printf(
          "%s: %d created, %d given a new key, %d kept%n",
          file, outcome.created(), outcome.rekeyed(), outcome.kept());
      return interrupted.getAsBoolean() ? EXIT_INTERRUPTED : 0;
    } catch (IOException e) {
      out.println("provisioning failed: " + Reason.of(e));
      return EXIT_SETUP_FAILED;
    } catch (QueenException | IllegalStateException e) {
      out.println("provisioning failed: " + e.getMessage());
      return EXIT_SETUP_FAILED;
    }
  }

  private static String given(Options options, Option<String> option, String fallback) {
    var value = options.get(option);
    return value == null ? fallback : value;
  }

  private static String token(Options options, CellHome home, Map<String, String> environment) {
    var given = options.get(TOKEN);
    if (given != null) {
      return given;
    }
    var inEnvironment = environment.get("QUEENCELL_ADMIN_TOKEN");
    if (inEnvironment != null && !inEnvironment.isBlank()) {
      return inEnvironment.strip();
    }
    var file =
        environment.getOrDefault(
            "QUEENCELL_ADMIN_TOKEN_FILE", home.get("QUEENCELL_ADMIN_TOKEN_FILE", null));
    if (file == null) {
      throw new BadOptionException(
          "-token has no value; it takes the tenant-state service's admin token");
    }
    try {
      return Files.readString(Path.of(file)).strip();
    } catch (IOException e) {
      throw new BadOptionException("the admin token's file %s can't be read".formatted(file));
    }
  }
}
