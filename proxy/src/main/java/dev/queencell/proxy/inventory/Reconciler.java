package dev.queencell.proxy.inventory;

import dev.queencell.proxy.directory.ClusterLimits;
import dev.queencell.proxy.directory.ClusterStatus;
import dev.queencell.proxy.directory.ClusterView;
import dev.queencell.proxy.directory.StateAwayException;
import dev.queencell.proxy.directory.StateClient;
import dev.queencell.proxy.directory.StateService;
import dev.queencell.proxy.limit.CellUse;
import dev.queencell.proxy.limit.Inventory;
import dev.queencell.proxy.limit.StorageUse;
import dev.queencell.service.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks, once an interval, at what each cluster with a cap on storage, queues or partitions has at
 * its broker, one cluster after the other. What it finds corrects what this process counted and is
 * told to the tenant state, which decides on the storage block for all proxies. While the tenant
 * state is away only the clusters in use here are looked at, and the block is this process's own
 * judgement. A broker that can't be reached or gives no usable answer changes nothing.
 */
public final class Reconciler implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Reconciler.class);
  private static final int QUEUES_MAX = 10_000;

  private final StateService state;
  private final StateClient client;
  private final Inventory inventory;
  private final CellUse cell;
  private final long intervalMs;
  private final CountDownLatch closing = new CountDownLatch(1);
  private final AtomicLong rounds = new AtomicLong();
  private final Thread thread;

  public Reconciler(
      StateService state, StateClient client, Inventory inventory, CellUse cell, long intervalMs) {
    this.state = state;
    this.client = client;
    this.inventory = inventory;
    this.cell = cell;
    this.intervalMs = intervalMs;
    this.thread = Thread.ofVirtual().name("reconciler").start(this::run);
  }

  /** Times that all clusters were looked at. */
  public long rounds() {
    return rounds.get();
  }

  @Override
  public void close() {
    closing.countDown();
    thread.interrupt();
  }

  private void run() {
    try {
      // Proxies that start together need not ask together.
      while (!closing.await(pauseMs(), TimeUnit.MILLISECONDS)) {
        round();
        rounds.incrementAndGet();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void round() {
    try {
      for (var cluster : clusters()) {
        if (closing.getCount() == 0) {
          return;
        }
        reconcile(cluster);
      }
    } catch (RuntimeException e) {
      LOG.error("a round over the clusters broke off", e);
    }
  }

  private long pauseMs() {
    return intervalMs - ThreadLocalRandom.current().nextLong(intervalMs / 10 + 1);
  }

  private List<ClusterView> clusters() {
    var all = new ArrayList<ClusterView>();
    try {
      var after = "";
      while (after != null) {
        var page = state.clusters(after);
        all.addAll(page.clusters());
        after = page.nextAfter();
      }
      return all;
    } catch (StateAwayException e) {
      LOG.debug("looking at the clusters in use only: {}", e.getMessage());
      return cell.inUse();
    }
  }

  private void reconcile(ClusterView cluster) {
    var limits = cluster.limits();
    boolean capped =
        limits.retainedBytes() != ClusterLimits.UNLIMITED
            || limits.queues() != ClusterLimits.UNLIMITED
            || limits.partitionsPerQueue() != ClusterLimits.UNLIMITED;
    if (!capped || cluster.status() == ClusterStatus.SUSPENDED) {
      return;
    }
    var found = inventory.queues(cluster);
    if (found.isEmpty()) {
      return;
    }
    var use = cell.ofKnown(cluster.id());
    if (use != null) {
      use.take(found.get());
    }
    tell(cluster, found.get());
  }

  private void tell(ClusterView cluster, Inventory.Queues found) {
    var body = Json.object();
    if (found.retainedBytes() == StorageUse.UNKNOWN) {
      body.putNull("retained_bytes");
    } else {
      body.put("retained_bytes", found.retainedBytes());
    }
    body.put("complete", found.partitionsByQueue().size() <= QUEUES_MAX);
    var list = body.putArray("queues");
    found.partitionsByQueue().entrySet().stream()
        .limit(QUEUES_MAX)
        .forEach(
            queue ->
                list.addObject().put("name", queue.getKey()).put("partitions", queue.getValue()));
    try {
      var answer = client.send("PUT", "/api/edge/clusters/" + cluster.id() + "/inventory", body);
      if (!answer.isOk()) {
        LOG.debug("the inventory of {} answered {}", cluster.slug(), answer.status());
      }
    } catch (StateAwayException e) {
      LOG.debug("the inventory of {} is told next time: {}", cluster.slug(), e.getMessage());
    }
  }
}
