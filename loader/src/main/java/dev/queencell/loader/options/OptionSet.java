package dev.queencell.loader.options;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The options of one mode. Every option is accepted with one dash or two, its value after a space
 * or an equals sign.
 */
public final class OptionSet {
  /** Chooses the mode; every mode has it. */
  public static final Option<String> MODE =
      Option.text("mode", "max", ".+", "the name of a mode", "what to run");

  private static final int HELP_WIDTH = 100;

  private final CommandSpec spec;
  private final Option<String> mode;
  private final List<Option<?>> options = new ArrayList<>();

  public OptionSet(String mode, String summary, List<Option<?>> ofMode) {
    this.mode = MODE.withDefault(mode);
    options.add(this.mode);
    options.addAll(ofMode);
    spec = CommandSpec.create().name("loader -mode " + mode);
    spec.usageMessage().description(summary).width(HELP_WIDTH).sortOptions(false);
    spec.usageMessage().abbreviateSynopsis(true);
    spec.parser().posixClusteredShortOptionsAllowed(false).overwrittenOptionsAllowed(true);
    for (var option : options) {
      spec.addOption(
          OptionSpec.builder("-" + option.name(), "--" + option.name())
              .type(String.class)
              .arity(option.isFlag() ? "0..1" : "1")
              .fallbackValue("true")
              .paramLabel(option.isFlag() ? "BOOL" : "VALUE")
              .description(option.description().replace("%", "%%"))
              .build());
    }
    spec.addOption(
        OptionSpec.builder("-h", "-help", "--help")
            .usageHelp(true)
            .description("prints this")
            .build());
  }

  /**
   * Parses a command line.
   *
   * @throws BadOptionException with one line that names the option and what it accepts
   */
  public Options parse(String... arguments) {
    CommandLine.ParseResult result;
    try {
      result = new CommandLine(spec).parseArgs(arguments);
    } catch (CommandLine.UnmatchedArgumentException e) {
      throw new BadOptionException(
          "'%s' is no option of this mode; -h lists those it has"
              .formatted(e.getUnmatched().getFirst()));
    } catch (CommandLine.ParameterException e) {
      throw new BadOptionException(oneLine(e));
    }
    Map<Option<?>, Object> values = new LinkedHashMap<>();
    for (var option : options) {
      String given = result.matchedOptionValue("-" + option.name(), null);
      if (given != null) {
        values.put(option, option.parse(given));
      }
    }
    var parsed = new Options(options, values, result.isUsageHelpRequested());
    parsed.get(mode);
    return parsed;
  }

  /** The parser names the option in the middle of its own words. */
  private String oneLine(CommandLine.ParameterException e) {
    var line = e.getMessage().lines().findFirst().orElse("bad options");
    for (var option : options) {
      if (line.contains("'--" + option.name() + "'")) {
        return "-%s has no value; it takes %s".formatted(option.name(), option.accepts());
      }
    }
    return line;
  }

  /** The help: every option with what it accepts and its default. */
  public String help() {
    return new CommandLine(spec).getUsageMessage(CommandLine.Help.Ansi.OFF);
  }
}
