package dev.queencell.broker.http;

import dev.queencell.broker.engine.Metering;
import dev.queencell.broker.engine.Metering.QueueDepth;
import dev.queencell.broker.engine.Metering.QueueMinute;
import dev.queencell.broker.engine.Metering.TenantCounts;
import dev.queencell.broker.store.QueueCount;
import dev.queencell.broker.store.QueueCounts;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToLongFunction;

/**
 * The series of tenants and queues on the Prometheus page. A page never has more than {@link
 * #QUEUES_MAX} queues: the busiest of the newest minute have series of their own, the others are
 * one series, and a queue to which nothing happens has none. Tenants are bounded where they are
 * counted. Thread-safe.
 */
final class QueueSeries {
  /** Queues with series of their own. */
  static final int QUEUES_MAX = 200;

  private static final String OTHER = "other";

  /** From then on a minute says nothing of now: nothing has happened since. */
  private static final long AGE_SECONDS_MAX = 120;

  private final MeterRegistry registry;
  private final Map<String, TenantCounts> tenants = new ConcurrentHashMap<>();
  private final Map<QueueCount, MultiGauge> gauges = new EnumMap<>(QueueCount.class);
  private final MultiGauge lag;
  private final MultiGauge deadLetters;
  private volatile long depth;
  private volatile long ageSeconds = -1;

  QueueSeries(MeterRegistry registry) {
    this.registry = registry;
    gauge(QueueCount.PUSH_REQUESTS, "queen.queue.push.requests.per.minute");
    gauge(QueueCount.PUSH_MESSAGES, "queen.queue.push.messages.per.minute");
    gauge(QueueCount.POP_MESSAGES, "queen.queue.pop.messages.per.minute");
    gauge(QueueCount.POP_EMPTY, "queen.queue.pop.empty.per.minute");
    gauge(QueueCount.TRANSACTIONS, "queen.queue.transactions.per.minute");
    gauge(QueueCount.ACK_SUCCESS, "queen.queue.ack.per.minute");
    gauge(QueueCount.CONFLATED, "queen.queue.conflated.per.minute");
    gauge(QueueCount.PARKED, "queen.queue.parked.consumers");
    lag =
        MultiGauge.builder("queen.queue.pop.lag.milliseconds")
            .description("Age of the oldest message that pops got")
            .register(registry);
    deadLetters =
        MultiGauge.builder("queen.dlq.depth.by.queue")
            .description("Dead letters of a queue")
            .register(registry);
    Gauge.builder("queen.dlq.depth", this, series -> series.depth)
        .description("Dead letters of all queues")
        .tag("scope", "cluster")
        .register(registry);
    Gauge.builder("queen.queue.metrics.age.seconds", this, series -> series.ageSeconds)
        .description("Since the end of the minute that the queues' series are of; -1: none yet")
        .register(registry);
  }

  private void gauge(QueueCount count, String name) {
    gauges.put(
        count, MultiGauge.builder(name).description("In the newest minute").register(registry));
  }

  /** Takes over what the lanes have published; the next page shows it. */
  synchronized void show(Metering metering) {
    metering.tenants().forEach(this::show);
    show(metering.deadLetters());
    var minute = metering.lastMinute();
    ageSeconds = minute.ageSeconds();
    var queues =
        ageSeconds < 0 || ageSeconds > AGE_SECONDS_MAX
            ? List.<Labelled>of()
            : bounded(minute.queues());
    gauges.forEach(
        (count, gauge) ->
            gauge.register(
                queues.stream()
                    .map(q -> MultiGauge.Row.of(q.tags(), q.counts().get(count)))
                    .toList(),
                true));
    var lags = new ArrayList<MultiGauge.Row<?>>();
    for (var queue : queues) {
      long samples = queue.counts().get(QueueCount.POPS);
      if (samples > 0) {
        double mean = (double) queue.counts().get(QueueCount.LAG_MILLIS) / samples;
        lags.add(MultiGauge.Row.of(queue.tags().and("stat", "avg"), mean));
        lags.add(
            MultiGauge.Row.of(
                queue.tags().and("stat", "max"), queue.counts().get(QueueCount.LAG_MILLIS_MAX)));
      }
    }
    lag.register(lags, true);
  }

  /** The deepest have series of their own; the others are one. */
  private void show(List<QueueDepth> depths) {
    depth = depths.stream().mapToLong(QueueDepth::deadLetters).sum();
    var rows = new ArrayList<MultiGauge.Row<?>>();
    long others = 0;
    for (var queue :
        depths.stream()
            .sorted(Comparator.comparingLong(QueueDepth::deadLetters).reversed())
            .toList()) {
      if (rows.size() < QUEUES_MAX) {
        var tags = tags(queue.tenant().toString(), queue.queue());
        rows.add(MultiGauge.Row.of(tags, queue.deadLetters()));
      } else {
        others += queue.deadLetters();
      }
    }
    if (others > 0) {
      rows.add(MultiGauge.Row.of(tags(OTHER, OTHER), others));
    }
    deadLetters.register(rows, true);
  }

  /** A count of all tenants since the start. */
  double sum(ToLongFunction<TenantCounts> value) {
    return tenants.values().stream().mapToLong(value).sum();
  }

  private record Labelled(Tags tags, QueueCounts counts) {}

  private static List<Labelled> bounded(List<QueueMinute> queues) {
    var busiest =
        queues.stream().sorted(Comparator.comparingLong(QueueSeries::messages).reversed()).toList();
    var series = new ArrayList<Labelled>();
    QueueCounts others = null;
    for (var queue : busiest) {
      if (series.size() < QUEUES_MAX) {
        series.add(new Labelled(tags(queue.tenant().toString(), queue.queue()), queue.counts()));
      } else {
        others = others == null ? new QueueCounts() : others;
        others.fold(queue.counts());
      }
    }
    if (others != null) {
      series.add(new Labelled(tags(OTHER, OTHER), others));
    }
    return series;
  }

  private static long messages(QueueMinute queue) {
    return queue.counts().get(QueueCount.PUSH_MESSAGES)
        + queue.counts().get(QueueCount.POP_MESSAGES);
  }

  private static Tags tags(String tenant, String queue) {
    return Tags.of("tenant", tenant, "queue", queue);
  }

  private void show(String tenant, TenantCounts counts) {
    if (tenants.put(tenant, counts) == null) {
      counter(tenant, "queencell.tenant.push.requests", TenantCounts::pushRequests);
      counter(tenant, "queencell.tenant.push.messages", TenantCounts::pushMessages);
      counter(tenant, "queencell.tenant.pop.messages", TenantCounts::popMessages);
      counter(tenant, "queencell.tenant.acks.succeeded", TenantCounts::acksSucceeded);
      counter(tenant, "queencell.tenant.acks.failed", TenantCounts::acksFailed);
      counter(tenant, "queencell.tenant.dead.letters", TenantCounts::deadLetters);
    }
  }

  private void counter(String tenant, String name, ToLongFunction<TenantCounts> value) {
    FunctionCounter.builder(name, tenants, known -> value.applyAsLong(known.get(tenant)))
        .description("What a tenant did")
        .tag("tenant", tenant)
        .register(registry);
  }
}
