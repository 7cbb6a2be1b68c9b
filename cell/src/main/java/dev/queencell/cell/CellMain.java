package dev.queencell.cell;

import dev.queencell.cell.cgroup.CgroupCommand;
import dev.queencell.cell.plan.PlanCommand;
import dev.queencell.cell.postgres.PgCommand;
import dev.queencell.cell.relay.RelayCommand;
import dev.queencell.cell.sample.QuietCommand;
import dev.queencell.cell.sample.SampleCommand;
import dev.queencell.cell.series.BenchCommand;
import dev.queencell.cell.series.CompareCommand;
import dev.queencell.cell.series.LadderCommand;
import dev.queencell.cell.soak.SoakCommand;
import dev.queencell.cell.sql.SqlCommand;
import dev.queencell.cell.status.StatusCommand;
import dev.queencell.cell.summary.SummaryCommand;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * Entry point of {@code cell.jar}. Picks the subcommand and turns every failure into one line on
 * standard error: exit 2 for a wrong command line, exit 1 for anything that went wrong afterwards.
 * {@code QUEENCELL_TRACE=1} adds the stack trace.
 */
@Command(
    name = "cell.jar",
    description = "Computes, prepares and reads what a Queen Cell runs on.",
    mixinStandardHelpOptions = true)
public final class CellMain implements Runnable {
  private static final List<Class<?>> SUBCOMMANDS =
      List.of(
          PlanCommand.class,
          CgroupCommand.class,
          PgCommand.class,
          SqlCommand.class,
          StatusCommand.class,
          QuietCommand.class,
          RelayCommand.class,
          SampleCommand.class,
          SummaryCommand.class,
          LadderCommand.class,
          CompareCommand.class,
          BenchCommand.class,
          SoakCommand.class);

  @Spec private CommandSpec spec;

  public static void main(String[] args) {
    // What is printed is read by scripts: digits and decimal points, whatever language the caller
    // speaks.
    Locale.setDefault(Locale.ROOT);
    System.exit(commandLine(args).execute(args));
  }

  /**
   * The command line for these arguments, as {@link #main} runs it; tests give it their own
   * writers. Where the first argument is a subcommand the others are left out: describing them all
   * takes longer than most of them run.
   */
  static CommandLine commandLine(String... args) {
    var line = new CommandLine(new CellMain());
    var asked =
        SUBCOMMANDS.stream().filter(c -> args.length > 0 && nameOf(c).equals(args[0])).toList();
    (asked.isEmpty() ? SUBCOMMANDS : asked).forEach(line::addSubcommand);
    return line.setCaseInsensitiveEnumValuesAllowed(true)
        .setParameterExceptionHandler(CellMain::wrongUse)
        .setExecutionExceptionHandler(CellMain::failed);
  }

  private static String nameOf(Class<?> subcommand) {
    return subcommand.getAnnotation(Command.class).name();
  }

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(),
        "no subcommand given; it takes one of "
            + String.join(", ", spec.commandLine().getSubcommands().keySet()));
  }

  private static int wrongUse(ParameterException e, String[] args) {
    var command = e.getCommandLine();
    command.getErr().printf("%s: %s%n", command.getCommandSpec().qualifiedName(), e.getMessage());
    command.getErr().printf("Try '%s --help'.%n", command.getCommandSpec().qualifiedName());
    return CommandLine.ExitCode.USAGE;
  }

  private static int failed(Exception e, CommandLine command, CommandLine.ParseResult parsed) {
    PrintWriter err = command.getErr();
    var text = e.getMessage() == null ? e.toString() : e.getMessage();
    err.printf("%s: %s%n", command.getCommandSpec().qualifiedName(), text);
    if ("1".equals(System.getenv("QUEENCELL_TRACE"))) {
      e.printStackTrace(err);
    }
    return CommandLine.ExitCode.SOFTWARE;
  }
}
