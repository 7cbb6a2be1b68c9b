package dev.queencell.state.http;

import dev.queencell.service.HttpProblem;
import dev.queencell.service.Json;
import dev.queencell.state.control.Keys;
import dev.queencell.state.control.Ledger;
import dev.queencell.state.control.Members;
import dev.queencell.state.control.Refusal;
import dev.queencell.state.edge.EdgeViews;
import dev.queencell.state.session.Sessions;
import dev.queencell.state.usage.UsageReport;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import java.io.IOException;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * {@code /api/console}, carried here by the proxy: what a cluster's people see and change
 * themselves. Always checked in one order: which cluster, whether there are sessions, who asks,
 * whether the cluster is suspended, whether it is a person. Under the guard of {@link EdgeRoutes}.
 */
final class ConsoleRoutes {
  private static final String PREFIX = FrontRoutes.PREFIX + "/api/console";
  private static final int HOURS_DEFAULT = 24;
  private static final List<String> FEATURES =
      List.of("streams", "traces", "kv", "timers", "ephemeral");

  /** What a call found out about itself. */
  private record Visit(Sessions.Acting acting, ObjectNode cluster) {
    UUID clusterId() {
      return acting.clusterId();
    }

    UUID userId() {
      return acting.person().claims().userId();
    }
  }

  private final Sessions sessions;
  private final EdgeViews views;
  private final Keys keys;
  private final Members members;
  private final UsageReport usage;

  ConsoleRoutes(Sessions sessions, EdgeViews views, Ledger ledger) {
    this.sessions = sessions;
    this.views = views;
    keys = new Keys(ledger);
    members = new Members(ledger);
    usage = new UsageReport(ledger);
  }

  void addTo(RoutesConfig routes) {
    routes.get(PREFIX + "/overview", FrontRoutes.worded(this::overview));
    routes.get(PREFIX + "/usage", FrontRoutes.worded(this::usage));
    routes.get(PREFIX + "/keys", FrontRoutes.worded(this::listKeys));
    routes.post(PREFIX + "/keys", FrontRoutes.worded(this::issueKey));
    routes.delete(PREFIX + "/keys/{id}", FrontRoutes.worded(this::revokeKey));
    routes.get(PREFIX + "/members", FrontRoutes.worded(this::listMembers));
    routes.post(PREFIX + "/members", FrontRoutes.worded(this::grant));
    routes.delete(PREFIX + "/members", FrontRoutes.worded(this::removeMember));
    routes.post("/api/edge/sessions/verify", this::verify);
  }

  private void overview(Context ctx) throws IOException {
    var visit = enter(ctx, false);
    var cluster = visit.cluster();
    var limits = ((ObjectNode) cluster.get("limits")).deepCopy();
    var quota = limits.remove("monthly_msgs_quota");
    var month = YearMonth.now(ZoneOffset.UTC);
    var answer =
        Json.object()
            .put("slug", cluster.get("slug").stringValue())
            .put("status", cluster.get("status").stringValue())
            .put("role", visit.acting().role());
    answer
        .putObject("plan")
        .put("code", cluster.get("plan_code").stringValue())
        .set("monthly_msgs_quota", quota);
    answer
        .putObject("usage")
        .put("month", month.toString())
        .put("msgs", usage.month(visit.clusterId(), month).msgs());
    var blocks = cluster.get("blocks");
    answer.put("push_block", pushBlock(blocks));
    answer
        .putObject("storage")
        .put("over_quota", blocks.get("storage").booleanValue())
        .set("max_retained_bytes", limits.get("max_retained_bytes"));
    answer.set("limits", limits);
    var features = answer.putObject("features");
    for (var feature : FEATURES) {
      features.put(feature, cluster.at("/features/" + feature).asBoolean(false));
    }
    Answers.send(ctx, 200, answer);
  }

  private void usage(Context ctx) throws IOException {
    var visit = enter(ctx, false);
    int hours = Answers.number(ctx, "hours", HOURS_DEFAULT, 1, UsageReport.HOURS_MAX);
    Answers.send(ctx, 200, Answers.minutes(usage.minutes(visit.clusterId(), hours)));
  }

  private void listKeys(Context ctx) throws IOException {
    Answers.send(ctx, 200, Answers.keys(keys.list(enter(ctx, true).clusterId())));
  }

  private void issueKey(Context ctx) throws IOException {
    var visit = enter(ctx, true);
    var fields = Fields.of(ctx);
    var name = fields.name("name");
    var scopes = fields.choices("scopes", Keys.SCOPES);
    if (scopes == null) {
      throw Refusal.invalid("scopes is missing; it takes some of " + Keys.SCOPES);
    }
    var issued =
        keys.issue(
            new Keys.Issue(visit.clusterId(), name, null, scopes), Optional.of(visit.userId()));
    ctx.res().setHeader("Cache-Control", "no-store");
    Answers.send(
        ctx, 201, Json.object().put("id", issued.id().toString()).put("key", issued.text()));
  }

  private void revokeKey(Context ctx) throws IOException {
    var visit = enter(ctx, true);
    var id = Fields.checkUuid("key id", ctx.pathParam("id"));
    if (!keys.revokeOf(visit.clusterId(), id, visit.userId())) {
      throw new HttpProblem(404, "no such key", "not_found");
    }
    Answers.send(ctx, 200, Json.object().put("ok", true));
  }

  private void listMembers(Context ctx) throws IOException {
    Answers.send(ctx, 200, Answers.members(members.list(enter(ctx, true).clusterId())));
  }

  private void grant(Context ctx) throws IOException {
    var visit = enter(ctx, true);
    var fields = Fields.of(ctx);
    members.grant(
        visit.clusterId(),
        email(fields),
        fields.requiredChoice("role", Members.ROLES),
        Optional.of(visit.userId()));
    Answers.send(ctx, 200, Json.object().put("ok", true));
  }

  private void removeMember(Context ctx) throws IOException {
    var visit = enter(ctx, true);
    members.remove(visit.clusterId(), email(Fields.of(ctx)), Optional.of(visit.userId()));
    Answers.send(ctx, 200, Json.object().put("ok", true));
  }

  /** {@code /api/edge/sessions/verify}: who a session is on a broker's route. */
  private void verify(Context ctx) throws IOException {
    var fields = Fields.of(ctx);
    var token = fields.secretText("token");
    var person =
        Optional.ofNullable(token)
            .flatMap(sessions::person)
            .orElseThrow(() -> Sessions.unauthorized("the session is unknown, ended or expired"));
    var acting =
        sessions.act(
            person,
            Optional.ofNullable(fields.uuidOrNull("cluster")),
            Optional.ofNullable(fields.secretText("act_cluster")),
            fields.flagOr("shared", false));
    var answer =
        Json.object()
            .put("jti", person.claims().jti())
            .put("user_id", person.claims().userId().toString())
            .put("role", acting.role())
            .put("operator", person.operator())
            .put("expires_at", person.claims().expiresAt().toString());
    answer.set("cluster", views.clusterById(acting.clusterId()));
    Answers.send(ctx, 200, answer);
  }

  private Visit enter(Context ctx, boolean adminOnly) {
    var caller = Caller.of(ctx);
    if (caller.hostCluster().isEmpty() && !caller.sharedHost()) {
      throw new HttpProblem(421, "no cluster is served under this name", "cluster_unknown");
    }
    if (sessions.tokens().isEmpty()) {
      throw new HttpProblem(503, "this cell has no sessions", "not_configured");
    }
    if (caller.key().isPresent()) {
      throw refuseKey(caller, caller.key().get());
    }
    var person =
        caller
            .token()
            .flatMap(sessions::person)
            .orElseThrow(() -> Sessions.unauthorized("a session is needed here"));
    var act = caller.sharedHost() ? caller.actCluster() : Optional.<String>empty();
    var acting = sessions.act(person, caller.hostCluster(), act, caller.sharedHost());
    var cluster = views.clusterById(acting.clusterId());
    if (cluster.get("status").stringValue().equals("suspended")) {
      throw suspended();
    }
    if (adminOnly && !acting.role().equals("admin")) {
      throw new HttpProblem(403, "this needs the role admin", "forbidden");
    }
    return new Visit(acting, cluster);
  }

  /** A key learns whether it is good before it learns that keys are no use here. */
  private HttpProblem refuseKey(Caller caller, String key) {
    JsonNode view;
    try {
      view = views.key(Keys.hash(key));
    } catch (HttpProblem e) {
      return e.status() == 404 ? Sessions.unauthorized("unknown API key") : e;
    }
    boolean elsewhere =
        caller
            .hostCluster()
            .filter(id -> !id.toString().equals(view.get("cluster_id").stringValue()))
            .isPresent();
    if (elsewhere && !caller.sharedHost()) {
      return new HttpProblem(403, "key/cluster mismatch", "forbidden");
    }
    if (view.at("/cluster/status").stringValue().equals("suspended")) {
      return suspended();
    }
    return new HttpProblem(
        403, "api keys cannot access the console (human session required)", "forbidden");
  }

  private static String pushBlock(JsonNode blocks) {
    if (blocks.get("storage").booleanValue()) {
      return "storage";
    }
    return blocks.get("monthly").booleanValue() ? "monthly_quota" : null;
  }

  private static HttpProblem suspended() {
    return new HttpProblem(403, "the cluster is suspended", "cluster_suspended");
  }

  private static String email(Fields fields) {
    var email = fields.email("email");
    if (email == null) {
      throw Refusal.invalid("email is missing; it takes an address");
    }
    return email;
  }
}
