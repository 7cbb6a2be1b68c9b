package dev.queencell.cell.status;

import dev.queencell.cell.output.Json;
import dev.queencell.cell.status.CellStatus.UnitStatus;
import java.util.Locale;
import java.util.OptionalLong;
import tools.jackson.databind.node.ObjectNode;

/**
 * A cell's status for machines. Keys carry their units; a cap that is not in force and a number
 * that the kernel does not tell are null.
 */
final class StatusJson {
  private StatusJson() {}

  static ObjectNode of(CellStatus status) {
    var json = Json.object();
    json.put("home", status.home());
    json.put("up", status.isUp());
    json.put("healthy", status.exitCode() == CellStatus.EXIT_HEALTHY);
    json.set("caps", caps(status.caps()));
    var processes = json.putArray("processes");
    status.processes().forEach(one -> processes.add(process(one)));
    json.putObject("proxy").put("mode", status.isEnforcing() ? "enforce" : "shadow");
    var postgres = json.putObject("postgres");
    postgres.set("pg", postgres(status.pg()).put("mode", status.pgMode()));
    postgres.set("statepg", postgres(status.statePg()));
    var ports = json.putObject("ports");
    status.processes().forEach(one -> ports.put(one.name(), one.port()));
    ports.put("proxyAdmin", status.proxyAdminPort());
    var disk = json.putObject("disk");
    status
        .disk()
        .usedBytes()
        .forEach(
            (folder, bytes) ->
                disk.put(folder.equals("all") ? "usedBytes" : folder + "Bytes", bytes));
    disk.put("freeBytes", status.disk().freeBytes());
    return json;
  }

  private static ObjectNode caps(CellStatus.Caps caps) {
    var group = caps.group();
    var json = Json.object();
    json.put("by", caps.how());
    json.put("why", caps.why());
    json.put("capped", caps.isCapped());
    if (group.cpuCapCores().isPresent()) {
      json.put("cpus", group.cpuCapCores().getAsDouble());
    } else {
      json.putNull("cpus");
    }
    put(json, "memoryBytes", group.memoryCapBytes());
    json.put("askedCpus", caps.askedCpus());
    json.put("askedMemoryGib", caps.askedMemoryGib());
    put(json, "cpuMicros", group.cpuMicros());
    json.put("periods", group.periods());
    json.put("throttledPeriods", group.throttledPeriods());
    json.put("throttledMicros", group.throttledMicros());
    put(json, "memoryUsedBytes", group.memoryBytes());
    put(json, "memoryPeakBytes", group.memoryPeakBytes());
    return json;
  }

  private static void put(ObjectNode json, String name, OptionalLong value) {
    if (value.isPresent()) {
      json.put(name, value.getAsLong());
    } else {
      json.putNull(name);
    }
  }

  private static ObjectNode process(UnitStatus one) {
    var json = Json.object();
    json.put("name", one.name());
    json.put("unit", "queencell-" + one.name());
    if (one.run().pid() > 0) {
      json.put("pid", one.run().pid());
    } else {
      json.putNull("pid");
    }
    json.put("port", one.port());
    json.put("state", one.run().state().name().toLowerCase(Locale.ROOT));
    json.put("healthy", one.health().isHealthy());
    json.put("detail", one.health().detail());
    json.put("restarts", one.run().restarts());
    json.put("waitMs", one.run().waitMs());
    json.put("lastExit", one.run().lastExit());
    json.put("uptimeMs", one.uptimeMs());
    json.put("cgroup", one.cgroup());
    json.put("cpuMicros", one.cpuMicros());
    json.put("cpuPercent", Math.round(one.cpuPercent() * 10) / 10.0);
    json.put("memoryBytes", one.memoryBytes());
    json.put("residentBytes", one.residentBytes());
    return json;
  }

  private static ObjectNode postgres(PostgresView view) {
    var json = Json.object();
    json.put("healthy", view.health().isHealthy());
    json.put("detail", view.health().detail());
    json.put("version", view.version());
    json.put("databaseBytes", view.databaseBytes());
    var settings = json.putObject("settings");
    view.settings().forEach(settings::put);
    return json;
  }
}
