package dev.queencell.cell.plan;

import dev.queencell.cell.output.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code plan}: prints the budget, whole or the part that one process reads. */
@Command(
    name = "plan",
    description = {
      "Divides a cell's CPUs and memory among its processes.",
      "Without an option for the format: where the memory goes."
    },
    mixinStandardHelpOptions = true)
public final class PlanCommand implements Runnable {
  private static final Path MEMINFO = Path.of("/proc/meminfo");
  private static final Pattern MEM_TOTAL = Pattern.compile("MemTotal:\\s+(\\d+) kB");

  @Spec private CommandSpec spec;

  @Option(
      names = "--cpus",
      required = true,
      paramLabel = "N",
      description = "CPUs of the whole cell, fractions allowed; 0 = no cap")
  private double cpus;

  @Option(
      names = "--mem",
      required = true,
      paramLabel = "GIB",
      description = "memory of the whole cell in GiB, fractions allowed; 0 = no cap")
  private double memoryGib;

  @ArgGroup private Format format = new Format();

  /** At most one of them. */
  private static final class Format {
    @Option(names = "--json", description = "everything, for machines")
    private boolean json;

    @Option(names = "--explain", description = "every number with its reason")
    private boolean explain;

    @Option(names = "--postgres", description = "postgresql.conf lines of the messages' server")
    private boolean postgres;

    @Option(names = "--statepg", description = "postgresql.conf lines of the tenants' server")
    private boolean tenantState;

    @Option(
        names = "--jvm",
        paramLabel = "NAME",
        description = "JVM flags of broker, proxy or state, one a line")
    private String jvm;

    @Option(
        names = "--env",
        arity = "0..1",
        fallbackValue = "broker",
        paramLabel = "NAME",
        description = "KEY=VALUE lines for broker (default), proxy or state")
    private String environment;
  }

  @Override
  public void run() {
    var plan = CellPlan.of(Budget.of(cpus, memoryGib, host()));
    var printer = new PlanPrinter(plan);
    String text;
    if (format.json) {
      text = Json.text(printer.json()) + "\n";
    } else if (format.explain) {
      text = printer.explain();
    } else if (format.postgres) {
      text = PlanPrinter.postgres(plan.messages());
    } else if (format.tenantState) {
      text = PlanPrinter.postgres(plan.tenantState());
    } else if (format.jvm != null) {
      text = PlanPrinter.jvm(plan.jvm(format.jvm));
    } else if (format.environment != null) {
      text = printer.environment(format.environment);
    } else {
      text = printer.summary();
    }
    spec.commandLine().getOut().print(text);
    spec.commandLine().getOut().flush();
  }

  private static Budget.Host host() {
    try {
      var matcher = MEM_TOTAL.matcher(Files.readString(MEMINFO));
      if (!matcher.find()) {
        throw new IllegalStateException(MEMINFO + " has no MemTotal");
      }
      return new Budget.Host(
          Runtime.getRuntime().availableProcessors(), Long.parseLong(matcher.group(1)) * 1024);
    } catch (IOException e) {
      throw new IllegalStateException("can't read " + MEMINFO + ": " + e, e);
    }
  }
}
