package dev.queencell.loader.options;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * The options of one mode, or of a command beside the modes that also takes words. Every option is
 * accepted with one dash or two, its value after a space or an equals sign.
 */
public final class OptionSet {
  /** Chooses the mode; every mode has it. */
  public static final Option<String> MODE =
      Option.text("mode", "max", ".+", "the name of a mode", "what to run");

  private static final int HELP_WIDTH = 100;

  private final CommandSpec spec;
  private final List<Option<?>> options;

  public OptionSet(String mode, String summary, List<Option<?>> ofMode) {
    this(CommandSpec.create().name("loader -mode " + mode), summary, withMode(mode, ofMode));
  }

  private OptionSet(CommandSpec spec, String summary, List<Option<?>> options) {
    this.spec = spec;
    this.options = List.copyOf(options);
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
   * The options of a command that is no mode and takes words.
   *
   * @param words what the words are, for the help
   */
  public static OptionSet ofCommand(
      String name, String summary, List<Option<?>> options, String words) {
    var set = new OptionSet(CommandSpec.create().name("loader " + name), summary, options);
    set.spec.addPositional(
        PositionalParamSpec.builder()
            .type(List.class)
            .auxiliaryTypes(String.class)
            .arity("0..*")
            .paramLabel(words)
            .build());
    return set;
  }

  private static List<Option<?>> withMode(String mode, List<Option<?>> ofMode) {
    var all = new ArrayList<Option<?>>();
    all.add(MODE.withDefault(mode));
    all.addAll(ofMode);
    return all;
  }

  /** The names of the options, in the order of the help. */
  public List<String> names() {
    return options.stream().map(Option::name).toList();
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
          "'%s' is no option of %s; -h lists those it has"
              .formatted(e.getUnmatched().getFirst(), spec.name()));
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
    List<String> words =
        spec.positionalParameters().isEmpty()
            ? List.of()
            : result.matchedPositionalValue(0, List.of());
    var parsed = new Options(options, values, words, result.isUsageHelpRequested());
    // The mode has been read: it chose this set.
    options.stream().filter(o -> o.name().equals(MODE.name())).forEach(parsed::get);
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
