package dev.queencell.state.http;

import dev.queencell.service.Json;
import dev.queencell.state.control.Cells;
import dev.queencell.state.control.Clusters;
import dev.queencell.state.control.EdgeSettings;
import dev.queencell.state.control.Keys;
import dev.queencell.state.control.Ledger;
import dev.queencell.state.control.Plans;
import dev.queencell.state.control.Provisioning;
import dev.queencell.state.control.Refusal;
import dev.queencell.state.control.Tenants;
import dev.queencell.state.usage.MonthlyQuotas;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** {@code /api/cp}: what operators and their scripts change. */
final class ControlPlaneRoutes {
  private static final String HEADER = "x-queen-cp-token";
  private static final int KEYS_CHECKED_MAX = 256;
  private static final String KEY_NAME_DEFAULT = "default";
  private static final List<String> CELL_CLASSES = List.of("shared", "dedicated");
  private static final List<String> ROLES = List.of("admin", "producer", "consumer", "viewer");

  private final TokenGuard guard;
  private final Cells cells;
  private final Plans plans;
  private final Tenants tenants;
  private final Clusters clusters;
  private final Keys keys;
  private final Provisioning provisioning;
  private final EdgeSettings settings;
  private final MonthlyQuotas quotas;

  ControlPlaneRoutes(String adminToken, Ledger ledger, MonthlyQuotas quotas) {
    this.quotas = quotas;
    guard = new TokenGuard(HEADER, adminToken);
    cells = new Cells(ledger);
    plans = new Plans(ledger);
    tenants = new Tenants(ledger);
    clusters = new Clusters(ledger);
    keys = new Keys(ledger);
    provisioning = new Provisioning(ledger);
    settings = new EdgeSettings(ledger);
  }

  void addTo(RoutesConfig routes) {
    routes.before("/api/cp/*", guard::check);
    routes.post("/api/cp/cells", this::registerCell);
    routes.get("/api/cp/cells", this::listCells);
    routes.get("/api/cp/plans", this::listPlans);
    routes.post("/api/cp/bootstrap", this::bootstrap);
    routes.post("/api/cp/provision", this::provision);
    routes.post("/api/cp/tenants", this::createTenant);
    routes.put("/api/cp/tenants/{slug}/status", this::setTenantStatus);
    routes.get("/api/cp/clusters", this::listClusters);
    routes.post("/api/cp/clusters", this::createCluster);
    routes.get("/api/cp/clusters/{ref}", this::showCluster);
    routes.put("/api/cp/clusters/{ref}/status", this::setClusterStatus);
    routes.put("/api/cp/clusters/{ref}/plan", this::setClusterPlan);
    routes.put("/api/cp/clusters/{ref}/overrides", this::setClusterOverrides);
    routes.post("/api/cp/keys/check", this::checkKeys);
    routes.post("/api/cp/keys", this::issueKey);
    routes.delete("/api/cp/keys/{id}", this::revokeKey);
    routes.put("/api/cp/settings", this::changeSettings);
  }

  private void registerCell(Context ctx) throws IOException {
    var fields = Fields.of(ctx);
    var registered =
        cells.register(
            new Cells.Registration(
                fields.slug("slug"),
                fields.baseUrl("base_url"),
                fields.nameOr("region", null),
                fields.choice("class", CELL_CLASSES),
                fields.headerSecret("cell_secret")));
    Answers.send(ctx, 200, Answers.json(registered.cell()).put("created", registered.created()));
  }

  private void listCells(Context ctx) throws IOException {
    var answer = Json.object();
    var list = answer.putArray("cells");
    cells.list().forEach(cell -> list.add(Answers.json(cell)));
    Answers.send(ctx, 200, answer);
  }

  private void listPlans(Context ctx) throws IOException {
    var answer = Json.object();
    var list = answer.putArray("plans");
    plans.list().forEach(plan -> list.add(Answers.json(plan)));
    Answers.send(ctx, 200, answer);
  }

  private void bootstrap(Context ctx) throws IOException {
    var fields = Fields.of(ctx);
    var tenantSlug = fields.slug("tenant_slug");
    var email = fields.email("admin_email");
    var password = fields.secretText("password");
    if (password != null && email == null) {
      throw Refusal.invalid("admin_email is missing; a password needs somebody who has it");
    }
    var made =
        provisioning.bootstrap(
            new Provisioning.Bootstrap(
                tenantSlug,
                fields.nameOr("tenant_name", null),
                fields.slugOr("cluster_slug", tenantSlug),
                fields.nameOr("plan", null),
                fields.reference("cell"),
                email,
                password,
                fields.nameOr("key_name", KEY_NAME_DEFAULT)));
    Answers.send(
        ctx,
        200,
        Answers.json(made.cluster(), made.userId(), made.keyId(), made.created())
            .put("api_key", made.apiKey())
            .put("password_set", made.passwordSet())
            .put("can_login", made.canLogin()));
  }

  private void provision(Context ctx) throws IOException {
    var fields = Fields.of(ctx);
    var tenantSlug = fields.slug("tenant_slug");
    var keyHash = fields.keyHashOrNull("key_hash");
    var scopes = keyHash == null ? null : scopes(fields);
    var role = fields.choice("role", ROLES);
    var made =
        provisioning.provision(
            new Provisioning.Provision(
                tenantSlug,
                fields.nameOr("tenant_name", null),
                fields.slugOr("cluster_slug", tenantSlug),
                fields.nameOr("plan", null),
                cell(fields),
                fields.uuidOrNull("user_id"),
                fields.email("email"),
                role == null ? "admin" : role,
                fields.nameOr("key_name", KEY_NAME_DEFAULT),
                keyHash,
                scopes,
                fields.overrides("overrides")));
    var answer = Answers.json(made.cluster(), made.userId(), made.keyId(), made.created());
    answer.set("overrides", Answers.tree(made.cluster().overrides()));
    Answers.send(ctx, 200, answer);
  }

  private void createTenant(Context ctx) throws IOException {
    var fields = Fields.of(ctx);
    var made = tenants.create(fields.slug("slug"), fields.nameOr("name", null));
    Answers.send(
        ctx,
        200,
        Json.object()
            .put("tenant_id", made.tenant().id().toString())
            .put("slug", made.tenant().slug())
            .put("name", made.tenant().name())
            .put("status", made.tenant().status())
            .put("created", made.created()));
  }

  private void setTenantStatus(Context ctx) throws IOException {
    var slug = Fields.checkSlug("tenant slug", ctx.pathParam("slug"));
    var set = tenants.setStatus(slug, Fields.of(ctx).requiredChoice("status", Tenants.STATUSES));
    var answer = Json.object().put("ok", true).put("tenant_id", set.tenantId().toString());
    var list = answer.putArray("clusters");
    for (var cluster : set.clusters()) {
      list.addObject()
          .put("id", cluster.id().toString())
          .put("slug", cluster.slug())
          .put("broker_tenant_uuid", cluster.brokerTenantUuid().toString());
    }
    Answers.send(ctx, 200, answer);
  }

  /** One page by slug; {@code next_after} says where the next one starts. */
  private void listClusters(Context ctx) throws IOException {
    var after = ctx.queryParam("after");
    var page =
        clusters.page(
            after == null ? "" : Fields.checkSlug("after", after),
            ctx.queryParam("plan"),
            Clusters.PAGE_ROWS_MAX);
    var answer = Json.object();
    var list = answer.putArray("clusters");
    page.forEach(cluster -> list.add(Answers.json(cluster)));
    boolean full = page.size() == Clusters.PAGE_ROWS_MAX;
    answer.put("next_after", full ? page.getLast().slug() : null);
    Answers.send(ctx, 200, answer);
  }

  private void createCluster(Context ctx) throws IOException {
    var fields = Fields.of(ctx);
    var made =
        clusters.create(
            new Clusters.Creation(
                fields.slug("tenant_slug"),
                fields.nameOr("tenant_name", null),
                fields.slug("slug"),
                fields.nameOr("plan", Provisioning.PLAN_DEFAULT),
                cell(fields)));
    Answers.send(ctx, 200, Answers.json(made.cluster()).put("created", made.created()));
  }

  private void showCluster(Context ctx) throws IOException {
    var slug = Fields.checkSlug("cluster slug", ctx.pathParam("ref"));
    Answers.send(ctx, 200, Answers.json(clusters.bySlug(slug)));
  }

  private void setClusterStatus(Context ctx) throws IOException {
    var id = clusterId(ctx);
    var status = Fields.of(ctx).requiredChoice("status", Clusters.STATUSES);
    Answers.send(ctx, 200, Answers.json(clusters.setStatus(id, status)).put("ok", true));
  }

  private void setClusterPlan(Context ctx) throws IOException {
    var id = clusterId(ctx);
    var plan = Fields.of(ctx).name("plan");
    var cluster = clusters.setPlan(id, plan);
    quotas.judge(id);
    Answers.send(ctx, 200, Answers.json(cluster).put("ok", true));
  }

  private void setClusterOverrides(Context ctx) throws IOException {
    var id = clusterId(ctx);
    var overrides = Fields.overrides(ctx);
    var cluster = clusters.setOverrides(id, overrides);
    quotas.judge(id);
    Answers.send(ctx, 200, Answers.json(cluster).put("ok", true));
  }

  private void issueKey(Context ctx) throws IOException {
    var fields = Fields.of(ctx);
    var issued =
        keys.issue(
            new Keys.Issue(
                fields.uuid("cluster_id"),
                fields.name("name"),
                fields.keyHashOrNull("key_hash"),
                scopes(fields)));
    var answer = Json.object().put("id", issued.id().toString()).put("existed", issued.existed());
    if (issued.text() != null) {
      answer.put("api_key", issued.text());
    }
    Answers.send(ctx, issued.existed() ? 200 : 201, answer);
  }

  private void revokeKey(Context ctx) throws IOException {
    boolean already = keys.revoke(Fields.checkUuid("key id", ctx.pathParam("id")));
    Answers.send(ctx, 200, Json.object().put("ok", true).put("already_revoked", already));
  }

  private void changeSettings(Context ctx) throws IOException {
    var fields = Fields.of(ctx);
    if (!fields.has("enforce")) {
      // Null is a decision of its own: a misspelt name must not make it.
      throw Refusal.invalid("enforce is missing; it takes true, false or null");
    }
    var enforce = Optional.ofNullable(fields.flagOr("enforce", null));
    settings.setEnforce(enforce);
    Answers.send(ctx, 200, Json.object().put("ok", true).put("enforce", enforce.orElse(null)));
  }

  private void checkKeys(Context ctx) throws IOException {
    var hashes = Fields.of(ctx).texts("key_hashes", KEYS_CHECKED_MAX);
    if (hashes == null) {
      throw Refusal.invalid(
          "key_hashes is missing; it takes a list of at most %d hashes"
              .formatted(KEYS_CHECKED_MAX));
    }
    for (int i = 0; i < hashes.size(); i++) {
      Fields.checkKeyHash("key_hashes[%d]".formatted(i), hashes.get(i));
    }
    var answer = Json.object();
    var results = answer.putArray("results");
    for (var checked : keys.check(hashes)) {
      results
          .addObject()
          .put("key_hash", checked.keyHash())
          .put("valid", checked.valid())
          .put("cluster_slug", checked.clusterSlug());
    }
    Answers.send(ctx, 200, answer);
  }

  private static List<String> scopes(Fields fields) {
    var scopes = fields.choices("scopes", Keys.SCOPES);
    if (scopes == null) {
      throw Refusal.invalid(
          "scopes is missing; it takes at least one of " + String.join(", ", Keys.SCOPES));
    }
    return scopes;
  }

  /** The cell by slug or id, under either of the two names that callers use. */
  private static String cell(Fields fields) {
    var cell = fields.reference("cell");
    return cell == null ? fields.reference("cell_id") : cell;
  }

  private static UUID clusterId(Context ctx) {
    return Fields.checkUuid("cluster id", ctx.pathParam("ref"));
  }
}
