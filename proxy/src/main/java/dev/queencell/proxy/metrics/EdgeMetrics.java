package dev.queencell.proxy.metrics;

import dev.queencell.service.JvmAllocation;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Requests by class and outcome, refusals by code, and gauges of everything here that has a bound.
 *
 * <p>Thread-safe. Recording a request is two map lookups and a few adds.
 */
public final class EdgeMetrics implements AutoCloseable {
  private record Outcome(String routeClass, int statusGroup) {}

  private static final int STATUS_GROUP = 100;

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final JvmGcMetrics gc = new JvmGcMetrics();
  private final ConcurrentMap<Outcome, Timer> requests = new ConcurrentHashMap<>();
  private final ConcurrentMap<String, Counter> refusals = new ConcurrentHashMap<>();
  private final ConcurrentMap<String, Counter> wouldBlock = new ConcurrentHashMap<>();
  private final Counter clientsGone =
      Counter.builder("queencell_proxy_clients_gone")
          .description("Requests whose client left before its answer")
          .register(registry);

  public EdgeMetrics() {
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    gc.bindTo(registry);
    FunctionCounter.builder(
            "queencell.jvm.allocated.bytes", this, ignored -> JvmAllocation.totalBytes())
        .description("Heap bytes allocated")
        .register(registry);
  }

  /** A request that was answered, here or by the broker. */
  public void answered(String routeClass, int status, long startedNs) {
    requests
        .computeIfAbsent(new Outcome(routeClass, status / STATUS_GROUP), this::timer)
        .record(System.nanoTime() - startedNs, TimeUnit.NANOSECONDS);
  }

  /** A refusal with one of the contract's codes. */
  public void refused(String code) {
    refusals
        .computeIfAbsent(
            code,
            key ->
                Counter.builder("queencell_proxy_refusals")
                    .description("Requests refused by the proxy, by code")
                    .tag("code", key)
                    .register(registry))
        .increment();
  }

  /** A limit that was passed over because limits are not enforced. */
  public void wouldBlock(String limit) {
    wouldBlock
        .computeIfAbsent(
            limit,
            key ->
                Counter.builder("queencell_proxy_would_block")
                    .description("Requests over a limit that shadow mode let through")
                    .tag("limit", key)
                    .register(registry))
        .increment();
  }

  /** The client left. */
  public void clientGone() {
    clientsGone.increment();
  }

  /** Shows a value that something else keeps. */
  public void gauge(String name, String description, Supplier<Number> value) {
    Gauge.builder("queencell_proxy_" + name, value).description(description).register(registry);
  }

  /** Everything, in Prometheus' text format. */
  public String scrape() {
    return registry.scrape();
  }

  @Override
  public void close() {
    gc.close();
    registry.close();
  }

  private Timer timer(Outcome outcome) {
    return Timer.builder("queencell_proxy_requests")
        .description("Requests by route class and status group, whole time at the proxy")
        .tag("class", outcome.routeClass())
        .tag("status", outcome.statusGroup() + "xx")
        .register(registry);
  }
}
