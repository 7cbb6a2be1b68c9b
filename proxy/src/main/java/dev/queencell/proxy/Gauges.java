package dev.queencell.proxy;

import dev.queencell.proxy.directory.ChangeFollower;
import dev.queencell.proxy.directory.Directory;
import dev.queencell.proxy.directory.StateClient;
import dev.queencell.proxy.edge.Enforcement;
import dev.queencell.proxy.limit.CellUse;
import dev.queencell.proxy.limit.SharedLimits;
import dev.queencell.proxy.meter.Meter;
import dev.queencell.proxy.metrics.EdgeMetrics;
import dev.queencell.proxy.upstream.Brokers;

/** Shows what the parts keep in the metrics. */
record Gauges(EdgeMetrics metrics) {
  void show(Directory directory, ChangeFollower follower, CellUse cell, Brokers brokers) {
    metrics.gauge("parked_pops", "Pops that wait at a broker", cell::parked);
    metrics.gauge("clusters_in_use", "Clusters with limits in memory", cell::clusters);
    metrics.gauge("clusters_known", "Clusters remembered", directory::clusters);
    metrics.gauge("keys_known", "Keys remembered", directory::keys);
    metrics.gauge(
        "change_feed_connected",
        "1 while the tenant state's changes are followed",
        () -> follower.isConnected() ? 1 : 0);
    metrics.gauge(
        "broker_connections_in_use", "Connections with a call", brokers::connectionsInUse);
    metrics.gauge("broker_connections_idle", "Connections kept", brokers::connectionsIdle);
    metrics.gauge("broker_repeats", "Reads that were sent once more", brokers::repeats);
  }

  void show(StateClient state) {
    metrics.gauge("state_requests", "Requests to the tenant state", state::requests);
    metrics.gauge(
        "state_requests_failed", "Of these, those without an answer", state::requestsFailed);
  }

  /**
   * @param shared null when this proxy is alone
   */
  void show(Meter meter, Enforcement enforcement, SharedLimits shared) {
    metrics.gauge("enforce", "1 while limits refuse", () -> enforcement.isOn() ? 1 : 0);
    metrics.gauge("usage_batches_waiting", "Usage that waits for the tenant state", meter::waiting);
    metrics.gauge("usage_batches_taken", "Usage that the tenant state took", meter::taken);
    metrics.gauge("usage_batches_rejected", "Usage that is on disk for good", meter::rejected);
    metrics.gauge("usage_messages_lost", "Messages that nobody counts", meter::lost);
    if (shared != null) {
      metrics.gauge("shared_limit_calls", "Calls for reserves", shared::roundTrips);
      metrics.gauge(
          "shared_limit_fallbacks", "Decisions without the tenant state", shared::fallbacks);
    }
  }
}
