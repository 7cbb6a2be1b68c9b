package dev.queencell.broker.http;

import dev.queencell.broker.engine.Engine;
import dev.queencell.broker.engine.EngineStats;
import dev.queencell.broker.engine.EngineUnavailableException;
import dev.queencell.service.BuildIdentity;
import dev.queencell.service.Json;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.DoubleSupplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import tools.jackson.databind.node.ObjectNode;

/**
 * The two metrics pages. Counters live where the work is done; a page reads them when it is asked
 * for, so that metrics cost the hot routes nothing. Thread-safe.
 */
final class MetricsPages {
  private static final Path PROCESS_MEMORY = Path.of("/proc/self/statm");
  private static final long PAGE_BYTES = 4096;
  private static final double NANOS_PER_SECOND = 1e9;

  private final Engine engine;
  private final BuildIdentity build;
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

  /** As of the last page: a broker that can't tell now repeats itself, counters never go back. */
  private volatile EngineStats stats =
      new EngineStats(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

  MetricsPages(Engine engine, BuildIdentity build, BodyBudget bodies, HttpCounters http) {
    this.engine = engine;
    this.build = build;
    new JvmMemoryMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    contractMeters();
    engineMeters();
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
    var page = Json.object().put("uptime", uptimeMs() / 1000);
    page.putObject("requests")
        .put("total", s.pushRequests() + s.popRequests() + s.ackRequests())
        .put("rate", 0);
    page.putObject("messages").put("total", s.pushMessages() + s.popMessages()).put("rate", 0);
    var heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
    page.putObject("memory")
        .put("rss", residentBytes())
        .put("heapTotal", heap.getCommitted())
        .put("heapUsed", heap.getUsed())
        .put("external", 0)
        .put("arrayBuffers", 0);
    page.putObject("cpu").put("user", 0).put("system", 0);
    page.put("role", StatusRoutes.word(engine.role()));
    page.set("engine", Json.mapper().valueToTree(s));
    page.set("build", Json.mapper().valueToTree(build));
    return page;
  }

  /** The Prometheus text page. */
  byte[] prometheus() {
    refresh();
    return registry.scrape().getBytes(StandardCharsets.UTF_8);
  }

  private void refresh() {
    try {
      stats = engine.stats();
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
    gauge("queen.uptime.seconds", "Seconds since the start", () -> uptimeMs() / 1000.0);
    gauge("queen.process.resident.memory.bytes", "Resident memory", MetricsPages::residentBytes);
    gauge("queen.parked.long.polls", "Pops that wait now", EngineStats::parkedConsumers);
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
    FunctionCounter.builder(name, value, DoubleSupplier::getAsDouble)
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

  private static long uptimeMs() {
    return ManagementFactory.getRuntimeMXBean().getUptime();
  }

  /** Resident memory of this process; 0 where the system does not tell. */
  private static long residentBytes() {
    try {
      return Long.parseLong(Files.readString(PROCESS_MEMORY).split(" ", 3)[1]) * PAGE_BYTES;
    } catch (IOException | RuntimeException e) {
      return 0;
    }
  }
}
