package dev.queencell.cell.cgroup;

import dev.queencell.cell.output.Json;
import dev.queencell.cell.output.TextTable;
import java.io.PrintWriter;
import java.util.List;
import java.util.OptionalLong;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tools.jackson.databind.node.ObjectNode;

/** {@code cgroup}: makes, caps, reads and removes a cell's control groups. */
@Command(
    name = "cgroup",
    description = "Control groups of a cell: one parent with the caps, a child for each process.",
    mixinStandardHelpOptions = true)
public final class CgroupCommand implements Runnable {
  private static final long GIB = 1L << 30;

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(),
        "no subcommand given; it takes one of "
            + String.join(", ", spec.commandLine().getSubcommands().keySet()));
  }

  @Command(
      name = "detect",
      description = "Tries whether caps can be set here; exits 1 when not. Prints why.",
      mixinStandardHelpOptions = true)
  int detect(@Option(names = "--json", description = "for machines") boolean json) {
    var detection = Detection.here();
    if (json) {
      var node = Json.object().put("usable", detection.cgroups().isPresent());
      detection.cgroups().ifPresent(cgroups -> node.put("version", cgroups.version()));
      out().println(Json.text(node.put("reason", detection.reason())));
    } else {
      out().println(detection.reason());
    }
    return detection.cgroups().isPresent() ? 0 : 1;
  }

  @Command(
      name = "create",
      description = {
        "Makes the groups and caps the parent; prints 'CHILD FILE' for each file that a process's",
        "number is to be written to."
      },
      mixinStandardHelpOptions = true)
  void create(
      @Option(names = "--name", required = true, description = "the parent: queencell…")
          String name,
      @Option(names = "--cpus", defaultValue = "0", description = "cap in CPUs; 0 = none")
          double cpus,
      @Option(names = "--mem", defaultValue = "0", description = "cap in GiB; 0 = none") double gib,
      @Option(
              names = "--child",
              split = ",",
              defaultValue = "pg,statepg,state,broker,proxy",
              description = "the children; default ${DEFAULT-VALUE}")
          List<String> children) {
    var cgroups = present();
    cgroups.create(name, children, new Caps(cpus, Math.round(gib * GIB)));
    for (var child : children) {
      cgroups.joinFiles(name + "/" + child).forEach(file -> out().println(child + " " + file));
    }
  }

  @Command(
      name = "add",
      description = "Puts a process into a group.",
      mixinStandardHelpOptions = true)
  void add(
      @Option(names = "--name", required = true, description = "queencell…/CHILD") String name,
      @Option(names = "--pid", required = true, description = "the process") long pid) {
    present().add(name, pid);
  }

  @Command(
      name = "caps",
      description = "Prints the caps in force, read from the kernel; changes those that are given.",
      mixinStandardHelpOptions = true)
  void caps(
      @Option(names = "--name", required = true, description = "the parent: queencell…")
          String name,
      @Option(names = "--cpus", description = "new cap in CPUs; 0 = none") Double cpus,
      @Option(names = "--mem", description = "new cap in GiB; 0 = none") Double gib,
      @Option(names = "--json", description = "for machines") boolean json) {
    var cgroups = present();
    if (cpus != null || gib != null) {
      var before = cgroups.caps(name);
      cgroups.cap(
          name,
          new Caps(
              cpus == null ? before.cpus() : cpus,
              gib == null ? before.memoryBytes() : Math.round(gib * GIB)));
    }
    var inForce = cgroups.caps(name);
    if (json) {
      out()
          .println(
              Json.text(
                  Json.object()
                      .put("cpus", inForce.cpus())
                      .put("memoryBytes", inForce.memoryBytes())));
    } else {
      out()
          .printf(
              "cpus %s%nmemoryBytes %s%n",
              inForce.hasCpus() ? Double.toString(inForce.cpus()) : "none",
              inForce.hasMemory() ? Long.toString(inForce.memoryBytes()) : "none");
    }
  }

  @Command(
      name = "read",
      description = "Prints what the parent and each child used, and who is in them.",
      mixinStandardHelpOptions = true)
  void read(
      @Option(names = "--name", required = true, description = "the parent: queencell…")
          String name,
      @Option(names = "--json", description = "for machines") boolean json) {
    var cgroups = present();
    var children = cgroups.children(name);
    if (json) {
      var node = Json.object();
      var caps = cgroups.caps(name);
      node.putObject("caps").put("cpus", caps.cpus()).put("memoryBytes", caps.memoryBytes());
      describe(cgroups, name, node.putObject("slice"));
      var groups = node.putObject("children");
      children.forEach(child -> describe(cgroups, name + "/" + child, groups.putObject(child)));
      out().println(Json.text(node));
      return;
    }
    var table =
        new TextTable(
            "group", "cpuMs", "throttledMs", "throttled", "MiB", "peakMiB", "oom", "pids");
    describe(cgroups, name, "(all)", table);
    children.forEach(child -> describe(cgroups, name + "/" + child, child, table));
    out().print(table.render());
    out().flush();
  }

  @Command(
      name = "remove",
      description = "Removes the groups; refuses while a process is in one of them.",
      mixinStandardHelpOptions = true)
  void remove(
      @Option(names = "--name", required = true, description = "the parent: queencell…")
          String name) {
    present().remove(name);
  }

  private static void describe(Cgroups cgroups, String group, String label, TextTable table) {
    var usage = cgroups.usage(group);
    table.row(
        label,
        scaled(usage.cpuMicros(), 1000),
        scaled(usage.throttledMicros(), 1000),
        scaled(usage.throttledPeriods(), 1) + "/" + scaled(usage.periods(), 1),
        scaled(usage.memoryBytes(), 1 << 20),
        scaled(usage.memoryPeakBytes(), 1 << 20),
        scaled(usage.oomKills(), 1),
        cgroups.processes(group).size());
  }

  private static void describe(Cgroups cgroups, String group, ObjectNode node) {
    var usage = cgroups.usage(group);
    put(node, "cpuMicros", usage.cpuMicros());
    put(node, "throttledMicros", usage.throttledMicros());
    put(node, "periods", usage.periods());
    put(node, "throttledPeriods", usage.throttledPeriods());
    put(node, "memoryBytes", usage.memoryBytes());
    put(node, "memoryPeakBytes", usage.memoryPeakBytes());
    put(node, "oomKills", usage.oomKills());
    put(node, "ioReadBytes", usage.ioReadBytes());
    put(node, "ioWriteBytes", usage.ioWriteBytes());
    var pressure = node.putObject("pressureMicros");
    usage.pressureMicros().forEach(pressure::put);
    var pids = node.putArray("pids");
    cgroups.processes(group).forEach(pids::add);
  }

  private static void put(ObjectNode node, String name, OptionalLong value) {
    if (value.isPresent()) {
      node.put(name, value.getAsLong());
    } else {
      node.putNull(name);
    }
  }

  private static String scaled(OptionalLong value, long divisor) {
    return value.isPresent() ? Long.toString(value.getAsLong() / divisor) : "?";
  }

  private static Cgroups present() {
    return Detection.present()
        .orElseThrow(
            () -> new IllegalStateException("no control groups with cpu and memory are mounted"));
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }
}
