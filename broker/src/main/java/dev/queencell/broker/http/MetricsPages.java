package dev.queencell.broker.http;

import dev.queencell.broker.engine.Engine;
import dev.queencell.broker.engine.EngineStats;
import dev.queencell.broker.engine.EngineUnavailableException;
import dev.queencell.broker.engine.Metering;
import dev.queencell.broker.engine.Metering.TenantCounts;
import dev.queencell.broker.engine.ProcessUse;
import dev.queencell.broker.engine.WorkKind;
import dev.queencell.service.BuildIdentity;
import dev.queencell.service.Json;
import dev.queencell.service.JvmAllocation;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.function.DoubleSupplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import tools.jackson.databind.node.ObjectNode;

/**
 * The two metrics pages. Counters live where the work is done; a page reads them when it is asked
 * for, so that metrics cost the hot routes nothing. Thread-safe.
 */
final class MetricsPages {
  private static final double NANOS_PER_SECOND = 1e9;

  private final Engine engine;
  private final BuildIdentity build;
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

  private final QueueSeries series;

  /** As of the last page: a broker that can't tell now repeats itself, counters never go back. */
  private volatile EngineStats stats =
      new EngineStats(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

  MetricsPages(
      Engine engine, BuildIdentity build, BodyBudget bodies, HttpCounters http, Gates gates) {
    this.engine = engine;
    this.build = build;
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    new ClassLoaderMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    new FileDescriptorMetrics().bindTo(registry);
    contractMeters();
    clusterMeters();
    engineMeters();
    gateMeters(gates);
    workMeters();
    series = new QueueSeries(registry);
    counter("queencell.jvm.allocated.bytes", "Heap bytes allocated", JvmAllocation::totalBytes);
    counter("queencell.http.request.body.bytes", "Request bytes read", bodies::bytesRead);
    counter("queencell.http.pop.answer.bytes", "Bytes of pop answers", http.popAnswerBytes::sum);
    counter("queencell.http.pops.abandoned", "Pops whose client left", http.popsAbandoned::sum);
    counter("queencell.http.redirects", "Requests sent to the owner", http.redirects::sum);
    counter("queencell.http.unavailable", "Requests refused for now", http.unavailable::sum);
    gauge("queencell.http.body.budget.free.bytes", "Free request budget", bodies::freeBytes);
  }

  /** The JSON page. Rates are 0 by contract: whoever wants one takes two pages. */
  ObjectNode json() {
    refresh();
    var s = stats;
    var page = Json.object().put("uptime", ProcessUse.uptimeMs() / 1000);
    page.putObject("requests")
        .put("total", s.pushRequests() + s.popRequests() + s.ackRequests())
        .put("rate", 0);
    page.putObject("messages").put("total", s.pushMessages() + s.popMessages()).put("rate", 0);
    page.set("database", database());
    var heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
    page.putObject("memory")
        .put("rss", ProcessUse.residentBytes())
        .put("heapTotal", heap.getCommitted())
        .put("heapUsed", heap.getUsed())
        .put("external", 0)
        .put("arrayBuffers", 0);
    var cpu = ProcessUse.cpu();
    page.putObject("cpu").put("user", cpu.userMicros()).put("system", cpu.systemMicros());
    page.put("role", StatusRoutes.word(engine.role()));
    page.set("engine", Json.mapper().valueToTree(s));
    page.set("build", Json.mapper().valueToTree(build));
    return page;
  }

  /** The sessions that are open, and what they lead to; nobody waits for one but those who read. */
  private ObjectNode database() {
    var sessions = engine.metering().sessions();
    var database =
        Json.object()
            .put("poolSize", sessions.open())
            .put("idleConnections", sessions.idle())
            .put("waitingRequests", 0);
    var server = engine.metering().server();
    if (server != null) {
      database.put("version", server.version());
      database.set("settings", Json.mapper().valueToTree(server.settings()));
    }
    return database;
  }

  /** The Prometheus text page. */
  byte[] prometheus() {
    refresh();
    return registry.scrape().getBytes(StandardCharsets.UTF_8);
  }

  private void refresh() {
    try {
      stats = engine.stats();
      series.show(engine.metering());
    } catch (EngineUnavailableException e) {
      // Keeps what was known; the role on the page tells why it stands still.
      return;
    }
  }

  private void contractMeters() {
    counter("queen.process.push.requests", "Push requests", EngineStats::pushRequests);
    counter("queen.process.push.messages", "Messages pushed", EngineStats::pushMessages);
    counter("queen.process.pop.requests", "Pop requests", EngineStats::popRequests);
    counter("queen.process.pop.messages", "Messages popped", EngineStats::popMessages);
    counter("queen.process.ack.requests", "Acknowledge requests", EngineStats::ackRequests);
    counter("queen.process.ack.messages", "Messages acknowledged", EngineStats::ackMessages);
    gauge("queen.uptime.seconds", "Seconds since the start", () -> ProcessUse.uptimeMs() / 1000.0);
    gauge("queen.process.resident.memory.bytes", "Resident memory", ProcessUse::residentBytes);
    gauge("queen.parked.long.polls", "Pops that wait now", EngineStats::parkedConsumers);
  }

  /** There is one broker that serves: what the process did is what the cell did. */
  private void clusterMeters() {
    cluster("queen.cluster.push.requests", EngineStats::pushRequests);
    cluster("queen.cluster.push.messages", EngineStats::pushMessages);
    cluster("queen.cluster.pop.requests", EngineStats::popRequests);
    cluster("queen.cluster.pop.messages", EngineStats::popMessages);
    cluster("queen.cluster.pop.empty", EngineStats::popEmpty);
    ofTenants("queen.cluster.ack", TenantCounts::acksSucceeded, "result", "success");
    ofTenants("queen.cluster.ack", TenantCounts::acksFailed, "result", "failed");
    ofTenants("queen.cluster.dlq", TenantCounts::deadLetters);
  }

  private void cluster(String name, ToLongFunction<EngineStats> value) {
    scoped(name, pages -> value.applyAsLong(pages.stats));
  }

  private void ofTenants(String name, ToLongFunction<TenantCounts> value, String... tags) {
    scoped(name, pages -> pages.series.sum(value), tags);
  }

  private void scoped(String name, ToDoubleFunction<MetricsPages> value, String... tags) {
    FunctionCounter.builder(name, this, value)
        .description("What all brokers of the cell did")
        .tag("scope", "cluster")
        .tags(tags)
        .register(registry);
  }

  private void gateMeters(Gates gates) {
    var metering = engine.metering();
    gauge("queen.db.pool.size", "Sessions open", () -> metering.sessions().open());
    gauge("queen.db.pool.idle", "Sessions idle", () -> metering.sessions().idle());
    gauge(
        "queen.db.pool.active",
        "Sessions in use",
        () -> metering.sessions().open() - metering.sessions().idle());
    var pushes = gates.pushes();
    gauge("queen.file.buffer.pending", "Pushes spooled", () -> pushes.status().pendingRecords());
    gauge(
        "queen.file.buffer.failed",
        "Files of pushes set aside",
        () -> pushes.status().failedFiles());
    gauge(
        "queen.file.buffer.db.healthy",
        "1 while pushes reach the database",
        () -> pushes.status().healthy() ? 1 : 0);
    gauge(
        "queen.maintenance.mode.enabled",
        "1 while pushes are paused",
        () -> gates.maintenance().pushSwitch() ? 1 : 0);
  }

  /** What waits for its commit lane, and how works share commits; what autopilot chooses. */
  private void workMeters() {
    var metering = engine.metering();
    for (var kind : WorkKind.values()) {
      var name = kind.name().toLowerCase(Locale.ROOT);
      Gauge.builder("queen.admission.waiting", metering, m -> m.works(kind).waiting())
          .description("Works that wait for their commit lane")
          .tag("lane", name)
          .register(registry);
      of(name, "queen.admission.admitted", "lane", m -> m.works(kind).admitted());
      of(
          name,
          "queen.admission.wait.seconds",
          "lane",
          m -> m.works(kind).waitNanos() / NANOS_PER_SECOND);
      if (kind != WorkKind.MAINT) {
        of(name, "queen.batch.commits", "op", m -> m.works(kind).commits());
        of(name, "queen.batch.requests", "op", m -> m.works(kind).requests());
        of(name, "queen.batch.messages", "op", m -> m.works(kind).messages());
      }
    }
    of("on", "queencell.autopilot.pops", "mode", m -> m.autopilot(true).pops());
    of("on", "queencell.autopilot.partitions", "mode", m -> m.autopilot(true).partitions());
    of("shadow", "queencell.autopilot.pops", "mode", m -> m.autopilot(false).pops());
    of("shadow", "queencell.autopilot.partitions", "mode", m -> m.autopilot(false).partitions());
  }

  private void of(String value, String name, String label, ToDoubleFunction<Metering> read) {
    FunctionCounter.builder(name, engine.metering(), read)
        .description("Since the start of the process")
        .tag(label, value)
        .register(registry);
  }

  private void engineMeters() {
    counter("queencell.pops.empty", "Pops answered with nothing", EngineStats::popEmpty);
    counter("queencell.acks.failed", "Acknowledgements refused", EngineStats::ackFailed);
    counter("queencell.leases.expired", "Leases that ran out", EngineStats::leasesExpired);
    counter("queencell.redeliveries", "Messages delivered again", EngineStats::redeliveries);
    counter("queencell.commits", "Transactions of the journal", EngineStats::commits);
    counter("queencell.commit.messages", "Messages those appended", EngineStats::commitMessages);
    counter(
        "queencell.commit.seconds",
        "Time spent waiting for them",
        () -> stats.commitNanos() / NANOS_PER_SECOND);
    counter("queencell.cold.reads", "Reads behind the tail cache", EngineStats::coldReads);
    counter("queencell.takeovers", "Times ownership was taken", EngineStats::takeovers);
    gauge("queencell.queues", "Queues known", EngineStats::queues);
    gauge("queencell.partitions", "Partitions in memory", EngineStats::partitions);
    gauge("queencell.tail.cache.bytes", "Segments in memory", EngineStats::tailCacheBytes);
    gauge("queencell.inbox.bytes", "Work not yet committed", EngineStats::inboxBytes);
    Gauge.builder("queencell.owner", engine, e -> e.role() == Engine.Role.OWNER ? 1 : 0)
        .description("1 while this broker owns its database")
        .register(registry);
  }

  private void counter(String name, String text, ToLongFunction<EngineStats> value) {
    counter(name, text, () -> value.applyAsLong(stats));
  }

  private void counter(String name, String text, DoubleSupplier value) {
    // The registry holds its meters' objects weakly; a supplier made here would vanish.
    FunctionCounter.builder(name, this, ignored -> value.getAsDouble())
        .description(text)
        .register(registry);
  }

  private void gauge(String name, String text, ToLongFunction<EngineStats> value) {
    gauge(name, text, () -> value.applyAsLong(stats));
  }

  private void gauge(String name, String text, DoubleSupplier value) {
    ToDoubleFunction<DoubleSupplier> read = DoubleSupplier::getAsDouble;
    // The registry holds its meters' objects weakly; a supplier made here would vanish.
    Gauge.builder(name, value, read).description(text).strongReference(true).register(registry);
  }
}
