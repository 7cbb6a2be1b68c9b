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

    @Option(
        names = "--into",
        paramLabel = "DIR",
        description =
            "writes every part into a file of its own: pg.conf, statepg.conf and, for each of"
                + " broker, proxy and state, NAME.jvm and NAME.plan.env")
    private Path folder;
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
    } else if (format.folder != null) {
      writeInto(format.folder, plan, printer);
      text = "";
    } else {
      text = printer.summary();
    }
    spec.commandLine().getOut().print(text);
    spec.commandLine().getOut().flush();
  }

  private static void writeInto(Path folder, CellPlan plan, PlanPrinter printer) {
    try {
      Files.writeString(folder.resolve("pg.conf"), PlanPrinter.postgres(plan.messages()));
      Files.writeString(folder.resolve("statepg.conf"), PlanPrinter.postgres(plan.tenantState()));
      for (var jvm : plan.jvms()) {
        Files.writeString(folder.resolve(jvm.name() + ".jvm"), PlanPrinter.jvm(jvm));
        Files.writeString(
            folder.resolve(jvm.name() + ".plan.env"), printer.environment(jvm.name()));
      }
    } catch (IOException e) {
      throw new IllegalStateException("can't write the plan: " + e, e);
    }
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
