package dev.queencell.state.cli;

import static dev.queencell.state.cli.ControlPlane.part;

import dev.queencell.service.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;

/**
 * The end of a tenant: shut out, emptied at its broker, and, by {@code delete}, forgotten. Each
 * step can be repeated, so that a command that was broken off is simply given again; also one that
 * was done.
 */
final class Removal {
  private static final Duration LOOK_AGAIN = Duration.ofMillis(250);
  private static final Duration DEADLINE = Duration.ofMinutes(10);

  private final ControlPlane plane;

  Removal(ControlPlane plane) {
    this.plane = plane;
  }

  Commands.Printout run(String command, Arguments given) throws InterruptedException {
    var slug = given.word("the tenant's slug");
    boolean sure = given.flag("yes");
    boolean force = given.flag("force");
    given.conclude();
    if (!sure) {
      throw CommandException.ofUsage(
          "this removes every message of '%s'; say --yes".formatted(slug));
    }
    var path = "/tenants/" + part(slug);
    if (!shutOut(path, command.equals("delete"))) {
      return new Commands.Printout(
          plane.delete(path, null),
          "there is no tenant '%s': already deleted, or never made".formatted(slug));
    }
    if (force && command.equals("delete")) {
      return deleted(slug, plane.delete(path + "?force=true", null));
    }
    var purged = awaitPurge(path);
    if (command.equals("delete")) {
      return deleted(slug, plane.delete(path, null));
    }
    return new Commands.Printout(
        purged,
        new Table("slug", "done", "queues_deleted", "partitions_deleted")
            .of(purged.get("clusters"))
            .toString());
  }

  /**
   * False when there is no such tenant.
   *
   * @param mayBeGone else that is a mistake
   */
  private boolean shutOut(String path, boolean mayBeGone) {
    try {
      plane.put(path + "/status", Json.object().put("status", "deleting"));
      return true;
    } catch (CommandException e) {
      if (mayBeGone && e.code().equals("tenant_unknown")) {
        return false;
      }
      throw e;
    }
  }

  private JsonNode awaitPurge(String path) throws InterruptedException {
    var deadline = Instant.now().plus(DEADLINE);
    while (true) {
      var purge = plane.post(path + "/purge", Json.object());
      if (purge.get("done").asBoolean()) {
        return purge;
      }
      if (Instant.now().isAfter(deadline)) {
        throw new CommandException(
            "the purge is not done yet and goes on by itself; last error: "
                + purge.at("/clusters/0/last_error").asString("none"));
      }
      TimeUnit.MILLISECONDS.sleep(LOOK_AGAIN.toMillis());
    }
  }

  private static Commands.Printout deleted(String slug, JsonNode answer) {
    return new Commands.Printout(
        answer, "%s is gone, with %s".formatted(slug, Commands.clusters(answer.get("clusters"))));
  }
}
