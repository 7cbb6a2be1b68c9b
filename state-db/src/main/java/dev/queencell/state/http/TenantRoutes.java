package dev.queencell.state.http;

import dev.queencell.service.Json;
import dev.queencell.state.control.AuditTrail;
import dev.queencell.state.control.Clusters;
import dev.queencell.state.control.Ids;
import dev.queencell.state.control.KeyRotation;
import dev.queencell.state.control.Keys;
import dev.queencell.state.control.Ledger;
import dev.queencell.state.control.Members;
import dev.queencell.state.control.Outbox;
import dev.queencell.state.control.Refusal;
import dev.queencell.state.control.Tenants;
import dev.queencell.state.purge.Deletion;
import dev.queencell.state.usage.UsageReport;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import tools.jackson.databind.node.ObjectNode;

/**
 * {@code /api/cp}: a tenant's life beyond its making: keys, people, usage, audit, end. Under the
 * guard of {@link ControlPlaneRoutes}. A cluster in a path is its slug or its id.
 */
final class TenantRoutes {
  private static final int AUDIT_ROWS_DEFAULT = 100;
  private static final long OVERLAP_SECONDS_DEFAULT = 86_400;

  private final Tenants tenants;
  private final Clusters clusters;
  private final Keys keys;
  private final KeyRotation rotation;
  private final Members members;
  private final UsageReport usage;
  private final AuditTrail audit;
  private final Deletion deletion;
  private final Outbox outbox;

  TenantRoutes(Ledger ledger) {
    tenants = new Tenants(ledger);
    clusters = new Clusters(ledger);
    keys = new Keys(ledger);
    rotation = new KeyRotation(ledger);
    members = new Members(ledger);
    usage = new UsageReport(ledger);
    audit = new AuditTrail(ledger);
    deletion = new Deletion(ledger);
    outbox = new Outbox(ledger);
  }

  void addTo(RoutesConfig routes) {
    routes.get("/api/cp/tenants", this::listTenants);
    routes.get("/api/cp/tenants/{slug}", this::showTenant);
    routes.get("/api/cp/tenants/{slug}/usage", this::tenantUsage);
    routes.get("/api/cp/tenants/{slug}/audit", this::tenantAudit);
    routes.post("/api/cp/tenants/{slug}/purge", this::purge);
    routes.delete("/api/cp/tenants/{slug}", this::deleteTenant);
    routes.get("/api/cp/clusters/{ref}/usage", this::clusterUsage);
    routes.get("/api/cp/clusters/{ref}/keys", this::listKeys);
    routes.post("/api/cp/keys/{id}/rotate", this::rotateKey);
    routes.post("/api/cp/users", this::createUser);
    routes.put("/api/cp/operators", this::setOperator);
    routes.get("/api/cp/clusters/{ref}/members", this::listMembers);
    routes.put("/api/cp/clusters/{ref}/members", this::grant);
    routes.delete("/api/cp/clusters/{ref}/members", this::removeMember);
    routes.get("/api/cp/outbox", this::openMessages);
    routes.delete("/api/cp/outbox/{id}", this::consumeMessage);
  }

  private void listTenants(Context ctx) throws IOException {
    var after = ctx.queryParam("after");
    var page = tenants.page(after == null ? "" : Fields.checkSlug("after", after));
    var answer = Json.object();
    var list = answer.putArray("tenants");
    for (var tenant : page) {
      list.addObject()
          .put("tenant_id", tenant.id().toString())
          .put("slug", tenant.slug())
          .put("name", tenant.name())
          .put("status", tenant.status());
    }
    boolean full = page.size() == Tenants.PAGE_ROWS_MAX;
    answer.put("next_after", full ? page.getLast().slug() : null);
    Answers.send(ctx, 200, answer);
  }

  private void showTenant(Context ctx) throws IOException {
    var tenant = tenants.bySlug(slug(ctx)).tenant();
    var answer =
        Json.object()
            .put("tenant_id", tenant.id().toString())
            .put("slug", tenant.slug())
            .put("name", tenant.name())
            .put("status", tenant.status());
    var list = answer.putArray("clusters");
    clustersOf(tenant.slug()).forEach(cluster -> list.add(Answers.json(cluster)));
    Answers.send(ctx, 200, answer);
  }

  /** A calendar month of every cluster: the numbers of an invoice. */
  private void tenantUsage(Context ctx) throws IOException {
    var slug = slug(ctx);
    var month = month(ctx.queryParam("month"));
    var answer = Json.object().put("tenant", slug).put("month", month.toString());
    var list = answer.putArray("clusters");
    for (var cluster : clustersOf(slug)) {
      list.add(
          monthOf(cluster.id(), month)
              .put("id", cluster.id().toString())
              .put("slug", cluster.slug())
              .put("plan_code", cluster.planCode()));
    }
    Answers.send(ctx, 200, answer);
  }

  /** Of the last hours, minute by minute; with {@code month}, a calendar month. */
  private void clusterUsage(Context ctx) throws IOException {
    var month = ctx.queryParam("month");
    if (month != null) {
      // Also of a cluster that is gone: usage is kept under its id.
      var ref = ctx.pathParam("ref");
      var id = Ids.isUuid(ref) ? UUID.fromString(ref) : cluster(ctx).id();
      Answers.send(ctx, 200, monthOf(id, month(month)).put("month", month));
      return;
    }
    int hours = Answers.number(ctx, "hours", 1, 1, UsageReport.HOURS_MAX);
    Answers.send(ctx, 200, Answers.minutes(usage.minutes(cluster(ctx).id(), hours)));
  }

  private void tenantAudit(Context ctx) throws IOException {
    int rows = Answers.number(ctx, "rows", AUDIT_ROWS_DEFAULT, 1, AuditTrail.ROWS_MAX);
    var answer = Json.object();
    var list = answer.putArray("operations");
    for (var entry : audit.of(slug(ctx), rows)) {
      list.addObject()
          .put("at", entry.at())
          .put("actor", entry.actor())
          .put("actor_id", entry.actorId())
          .put("action", entry.action())
          .put("target", entry.target())
          .put("cluster_id", Answers.text(entry.clusterId()))
          .set("meta", Answers.tree(entry.meta()));
    }
    Answers.send(ctx, 200, answer);
  }

  private void purge(Context ctx) throws IOException {
    var purge = deletion.purge(slug(ctx));
    var answer = Json.object().put("existed", purge.existed()).put("done", purge.done());
    var list = answer.putArray("clusters");
    for (var cluster : purge.clusters()) {
      list.addObject()
          .put("slug", cluster.slug())
          .put("broker_tenant_uuid", cluster.brokerTenantUuid().toString())
          .put("done", cluster.done())
          .put("queues_deleted", cluster.queuesDeleted())
          .put("partitions_deleted", cluster.partitionsDeleted())
          .put("last_error", cluster.lastError());
    }
    Answers.send(ctx, 200, answer);
  }

  private void deleteTenant(Context ctx) throws IOException {
    boolean force = "true".equals(ctx.queryParam("force"));
    var gone = deletion.delete(slug(ctx), force);
    var answer = Json.object().put("existed", gone.isPresent());
    var list = answer.putArray("clusters");
    gone.orElse(List.of()).forEach(cluster -> list.add(cluster.slug()));
    Answers.send(ctx, 200, answer);
  }

  private void listKeys(Context ctx) throws IOException {
    Answers.send(ctx, 200, Answers.keys(keys.list(cluster(ctx).id())));
  }

  private void rotateKey(Context ctx) throws IOException {
    var id = Fields.checkUuid("key id", ctx.pathParam("id"));
    var fields = Fields.of(ctx);
    var rotated =
        rotation.rotate(
            id,
            fields.keyHashOrNull("key_hash"),
            fields.numberOr(
                "overlap_seconds", OVERLAP_SECONDS_DEFAULT, 0, KeyRotation.OVERLAP_SECONDS_MAX));
    var answer =
        Json.object()
            .put("id", rotated.id().toString())
            .put("existed", rotated.existed())
            .put("old_expires_at", rotated.oldExpiresAt());
    if (rotated.text() != null) {
      answer.put("api_key", rotated.text());
    }
    Answers.send(ctx, rotated.existed() ? 200 : 201, answer);
  }

  private void createUser(Context ctx) throws IOException {
    var fields = Fields.of(ctx);
    var id =
        members.createUser(
            fields.slug("tenant_slug"), email(fields), fields.secretText("password"));
    Answers.send(ctx, 200, Json.object().put("user_id", id.toString()));
  }

  private void setOperator(Context ctx) throws IOException {
    var fields = Fields.of(ctx);
    var enabled = fields.flagOr("enabled", null);
    if (enabled == null) {
      throw Refusal.invalid("enabled is missing; it takes true or false");
    }
    members.setOperator(email(fields), enabled);
    Answers.send(ctx, 200, Json.object().put("ok", true));
  }

  private void listMembers(Context ctx) throws IOException {
    Answers.send(ctx, 200, Answers.members(members.list(cluster(ctx).id())));
  }

  private void grant(Context ctx) throws IOException {
    var id = cluster(ctx).id();
    var fields = Fields.of(ctx);
    members.grant(
        id, email(fields), fields.requiredChoice("role", Members.ROLES), Optional.empty());
    Answers.send(ctx, 200, Json.object().put("ok", true));
  }

  private void removeMember(Context ctx) throws IOException {
    members.remove(cluster(ctx).id(), email(Fields.of(ctx)), Optional.empty());
    Answers.send(ctx, 200, Json.object().put("ok", true));
  }

  private void openMessages(Context ctx) throws IOException {
    var answer = Json.object();
    var list = answer.putArray("messages");
    for (var message : outbox.open()) {
      list.addObject()
          .put("id", message.id().toString())
          .put("kind", message.kind())
          .put("created_at", message.createdAt())
          .set("payload", Answers.tree(message.payload()));
    }
    Answers.send(ctx, 200, answer);
  }

  private void consumeMessage(Context ctx) throws IOException {
    boolean open = outbox.consume(Fields.checkUuid("message id", ctx.pathParam("id")));
    Answers.send(ctx, 200, Json.object().put("ok", true).put("already_consumed", !open));
  }

  private ObjectNode monthOf(UUID clusterId, YearMonth month) {
    var used = usage.month(clusterId, month);
    var answer = Json.object().put("msgs", used.msgs());
    var classes = answer.putArray("classes");
    used.byClass().forEach(counts -> classes.add(Answers.counts("op_class", counts)));
    var days = answer.putArray("days");
    used.byDay().forEach(counts -> days.add(Answers.counts("day", counts)));
    return answer;
  }

  private List<Clusters.Cluster> clustersOf(String slug) {
    var list = new ArrayList<Clusters.Cluster>();
    for (var ref : tenants.bySlug(slug).clusters()) {
      list.add(clusters.bySlug(ref.slug()));
    }
    return list;
  }

  private Clusters.Cluster cluster(Context ctx) {
    var ref = ctx.pathParam("ref");
    return Ids.isUuid(ref)
        ? clusters.byId(UUID.fromString(ref))
        : clusters.bySlug(Fields.checkSlug("cluster", ref));
  }

  private static String email(Fields fields) {
    var email = fields.email("email");
    if (email == null) {
      throw Refusal.invalid("email is missing; it takes an address");
    }
    return email;
  }

  private static String slug(Context ctx) {
    return Fields.checkSlug("tenant slug", ctx.pathParam("slug"));
  }

  private static YearMonth month(String text) {
    if (text == null) {
      return YearMonth.now(ZoneOffset.UTC);
    }
    try {
      return YearMonth.parse(text);
    } catch (DateTimeException e) {
      throw Refusal.invalid("month takes a calendar month like 2026-11");
    }
  }
}
