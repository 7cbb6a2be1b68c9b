package dev.queencell.state.cli;

import static dev.queencell.state.cli.ControlPlane.part;

import dev.queencell.service.Json;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What can be done, a method per command. Each answers what to print. */
final class Commands {
  /** An answer and how it looks as text. */
  record Printout(JsonNode json, String text) {}

  private static final String ALL_SCOPES = "produce,consume,admin,read";

  private final ControlPlane plane;

  Commands(ControlPlane plane) {
    this.plane = plane;
  }

  /** Runs a command. */
  Printout run(String command, Arguments given) throws InterruptedException {
    return switch (command) {
      case "create" -> create(given);
      case "list" -> list(given);
      case "show" -> show(given);
      case "plans" -> plans(given);
      case "plan" -> plan(given);
      case "override" -> override(given);
      case "grace" -> tenantStatus(given, "grace");
      case "suspend" -> tenantStatus(given, "suspended");
      case "resume" -> tenantStatus(given, "active");
      case "block" -> clusterStatus(given, "push_blocked");
      case "unblock" -> clusterStatus(given, "active");
      case "key" -> key(given);
      case "keys" -> keys(given);
      case "rotate" -> rotate(given);
      case "revoke" -> revoke(given);
      case "user" -> user(given);
      case "member" -> member(given);
      case "members" -> members(given);
      case "usage" -> usage(given);
      case "audit" -> audit(given);
      case "enforce" -> enforce(given);
      case "purge", "delete" -> new Removal(plane).run(command, given);
      default -> throw CommandException.ofUsage("no command '%s'".formatted(command));
    };
  }

  private Printout create(Arguments given) {
    var body = Json.object().put("tenant_slug", given.word("the tenant's slug"));
    copy(given, "name", body, "tenant_name");
    copy(given, "cluster", body, "cluster_slug");
    copy(given, "plan", body, "plan");
    copy(given, "cell", body, "cell");
    copy(given, "email", body, "admin_email");
    given.option("password-file").ifPresent(file -> body.put("password", Secrets.read(file)));
    given.conclude();
    var answer = plane.post("/bootstrap", body);
    boolean made = answer.at("/created/cluster").asBoolean();
    return new Printout(
        answer,
        "%s  plan %s\ncluster  %s\nkey id   %s\nkey      %s"
            .formatted(
                made ? "made" : "there already",
                text(answer, "plan_code"),
                text(answer, "cluster_id"),
                text(answer, "key_id"),
                answer.path("api_key").isNull()
                    ? "(shown once, when it was made)"
                    : text(answer, "api_key")));
  }

  private Printout list(Arguments given) {
    given.conclude();
    var all = Json.object();
    var list = all.putArray("tenants");
    var after = "";
    do {
      var page = plane.get("/tenants" + (after.isEmpty() ? "" : "?after=" + part(after)));
      page.get("tenants").forEach(list::add);
      after = page.path("next_after").asString("");
    } while (!after.isEmpty());
    return new Printout(all, new Table("slug", "status", "name").of(list).toString());
  }

  private Printout show(Arguments given) {
    var slug = given.word("the tenant's slug");
    given.conclude();
    var answer = plane.get("/tenants/" + part(slug));
    return new Printout(
        answer,
        "%s  %s  (%s)\n\n%s"
            .formatted(
                slug,
                text(answer, "status"),
                text(answer, "name"),
                new Table("slug", "status", "plan_code", "cell", "overrides", "id")
                    .of(answer.get("clusters"))));
  }

  private Printout plans(Arguments given) {
    given.conclude();
    var answer = plane.get("/plans");
    return new Printout(
        answer,
        new Table(
                "code",
                "max_req_per_sec",
                "max_msgs_per_sec",
                "max_queues",
                "max_partitions_per_queue",
                "max_payload_bytes",
                "max_retained_bytes",
                "monthly_msgs_quota")
            .of(answer.get("plans"))
            .toString());
  }

  private Printout plan(Arguments given) {
    var cluster = cluster(given);
    var body = Json.object().put("plan", given.word("the plan"));
    given.conclude();
    var answer = plane.put("/clusters/" + part(id(cluster)) + "/plan", body);
    return new Printout(answer, "plan %s".formatted(text(answer, "plan_code")));
  }

  /** Changes the named limits and leaves the others. */
  private Printout override(Arguments given) {
    var cluster = cluster(given);
    boolean clear = given.flag("clear");
    var overrides = clear ? Json.object() : (ObjectNode) cluster.get("overrides").deepCopy();
    var changes = given.rest();
    given.conclude();
    if (changes.isEmpty() && !clear) {
      throw CommandException.ofUsage(
          "say which: LIMIT=NUMBER, LIMIT=unlimited, LIMIT=plan, or --clear");
    }
    for (var change : changes) {
      int equals = change.indexOf('=');
      if (equals < 1) {
        throw CommandException.ofUsage("'%s' is not LIMIT=VALUE".formatted(change));
      }
      put(overrides, change.substring(0, equals), change.substring(equals + 1));
    }
    var answer = plane.put("/clusters/" + part(id(cluster)) + "/overrides", overrides);
    return new Printout(answer, "overrides %s".formatted(answer.get("overrides")));
  }

  private static void put(ObjectNode overrides, String limit, String value) {
    switch (value) {
      case "plan" -> overrides.remove(limit);
      case "unlimited", "null" -> overrides.putNull(limit);
      default -> {
        try {
          overrides.put(limit, Long.parseLong(value));
        } catch (NumberFormatException e) {
          throw CommandException.ofUsage(
              "%s=%s takes a number, 'unlimited' or 'plan'".formatted(limit, value));
        }
      }
    }
  }

  private Printout tenantStatus(Arguments given, String status) {
    var slug = given.word("the tenant's slug");
    given.conclude();
    var answer =
        plane.put("/tenants/" + part(slug) + "/status", Json.object().put("status", status));
    return new Printout(
        answer, "%s is %s, with %s".formatted(slug, status, clusters(answer.get("clusters"))));
  }

  /** How many there are. */
  static String clusters(JsonNode list) {
    return list.size() == 1 ? "1 cluster" : list.size() + " clusters";
  }

  private Printout clusterStatus(Arguments given, String status) {
    var cluster = cluster(given);
    given.conclude();
    var answer =
        plane.put(
            "/clusters/" + part(id(cluster)) + "/status", Json.object().put("status", status));
    return new Printout(answer, "%s is %s".formatted(text(answer, "slug"), status));
  }

  private Printout key(Arguments given) {
    var cluster = cluster(given);
    var body =
        Json.object()
            .put("cluster_id", id(cluster))
            .put("name", given.option("name").orElse("default"));
    var scopes = body.putArray("scopes");
    List.of(given.option("scopes").orElse(ALL_SCOPES).split(",", -1)).forEach(scopes::add);
    given.conclude();
    var answer = plane.post("/keys", body);
    return new Printout(
        answer, "key id  %s\nkey     %s".formatted(text(answer, "id"), text(answer, "api_key")));
  }

  private Printout keys(Arguments given) {
    var cluster = cluster(given);
    given.conclude();
    var answer = plane.get("/clusters/" + part(id(cluster)) + "/keys");
    return new Printout(
        answer,
        new Table("id", "name", "scopes", "created_at", "last_used_at", "expires_at", "revoked_at")
            .of(answer.get("keys"))
            .toString());
  }

  private Printout rotate(Arguments given) {
    var id = given.word("the key's id");
    var body = Json.object();
    given.option("overlap").ifPresent(text -> body.put("overlap_seconds", number(text)));
    given.conclude();
    var answer = plane.post("/keys/" + part(id) + "/rotate", body);
    return new Printout(
        answer,
        "key id  %s\nkey     %s\nthe old one works until %s"
            .formatted(
                text(answer, "id"),
                answer.has("api_key") ? text(answer, "api_key") : "(shown once, when it was made)",
                text(answer, "old_expires_at")));
  }

  private Printout revoke(Arguments given) {
    var id = given.word("the key's id");
    given.conclude();
    var answer = plane.delete("/keys/" + part(id), null);
    return new Printout(
        answer, answer.get("already_revoked").asBoolean() ? "was revoked already" : "revoked");
  }

  private Printout user(Arguments given) {
    var body = Json.object().put("tenant_slug", given.word("the tenant's slug"));
    body.put("email", given.word("the address"));
    given.option("password-file").ifPresent(file -> body.put("password", Secrets.read(file)));
    given.conclude();
    var answer = plane.post("/users", body);
    return new Printout(answer, "user %s".formatted(text(answer, "user_id")));
  }

  /** Gives a role; {@code none} takes it away. */
  private Printout member(Arguments given) {
    var cluster = cluster(given);
    var body = Json.object().put("email", given.word("the email"));
    var role = given.word("the role");
    given.conclude();
    var path = "/clusters/" + part(id(cluster)) + "/members";
    var email = body.get("email").asString();
    try {
      var answer =
          role.equals("none") ? plane.delete(path, body) : plane.put(path, body.put("role", role));
      return new Printout(answer, "%s: %s".formatted(email, role));
    } catch (CommandException e) {
      if (e.code().equals("not_found") && !role.equals("none")) {
        throw CommandException.ofRefusal(
            "%s is no account of tenant '%s'; make it first: tools/tenant.sh user %2$s %1$s"
                .formatted(email, text(cluster, "tenant_slug")),
            e.code());
      }
      throw e;
    }
  }

  private Printout members(Arguments given) {
    var cluster = cluster(given);
    given.conclude();
    var answer = plane.get("/clusters/" + part(id(cluster)) + "/members");
    return new Printout(
        answer, new Table("email", "role", "user_id").of(answer.get("members")).toString());
  }

  /** A month of a tenant: the numbers of its invoice. */
  private Printout usage(Arguments given) {
    var slug = given.word("the tenant's slug");
    Optional<String> month = given.option("month");
    given.conclude();
    var answer =
        plane.get(
            "/tenants/" + part(slug) + "/usage" + month.map(m -> "?month=" + part(m)).orElse(""));
    var text = new StringBuilder("%s  %s".formatted(slug, text(answer, "month")));
    for (var cluster : answer.get("clusters")) {
      text.append(
          "\n\ncluster %s  plan %s  messages %d\n%s"
              .formatted(
                  text(cluster, "slug"),
                  text(cluster, "plan_code"),
                  cluster.get("msgs").asLong(),
                  new Table("op_class", "reqs", "msgs", "bytes_in", "bytes_out")
                      .of(cluster.get("classes"))));
    }
    return new Printout(answer, text.toString());
  }

  private Printout audit(Arguments given) {
    var slug = given.word("the tenant's slug");
    var rows = given.option("rows").map(text -> "?rows=" + number(text)).orElse("");
    given.conclude();
    var answer = plane.get("/tenants/" + part(slug) + "/audit" + rows);
    return new Printout(
        answer,
        new Table("at", "actor", "action", "target", "meta")
            .of(answer.get("operations"))
            .toString());
  }

  private Printout enforce(Arguments given) {
    var wanted = given.word("on, off or default");
    given.conclude();
    var body =
        switch (wanted) {
          case "on" -> Json.object().put("enforce", true);
          case "off" -> Json.object().put("enforce", false);
          case "default" -> Json.object().putNull("enforce");
          default -> throw CommandException.ofUsage("enforce takes on, off or default");
        };
    return new Printout(plane.put("/settings", body), "enforce is " + wanted);
  }

  private JsonNode cluster(Arguments given) {
    return plane.get("/clusters/" + part(given.word("the cluster's slug")));
  }

  private static String id(JsonNode cluster) {
    return text(cluster, "id");
  }

  private static void copy(Arguments given, String option, ObjectNode body, String field) {
    given.option(option).ifPresent(value -> body.put(field, value));
  }

  private static long number(String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw CommandException.ofUsage("'%s' is not a number".formatted(text));
    }
  }

  private static String text(JsonNode node, String name) {
    return node.path(name).asString("-");
  }
}
