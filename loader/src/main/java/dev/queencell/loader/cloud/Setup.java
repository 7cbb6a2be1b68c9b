package dev.queencell.loader.cloud;

import dev.queencell.client.Caller;
import dev.queencell.client.QueenException;
import dev.queencell.client.QueenTransport;
import dev.queencell.client.QueueOptions;
import dev.queencell.loader.fault.Fault;
import dev.queencell.loader.measure.Reason;
import dev.queencell.loader.options.BadOptionException;
import dev.queencell.loader.options.CellHome;
import dev.queencell.loader.options.Options;
import dev.queencell.loader.provision.BenchTenant;
import dev.queencell.loader.provision.TenantsFile;
import dev.queencell.loader.run.Member;
import dev.queencell.loader.run.RunOptions;
import dev.queencell.loader.run.SetupException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Everything that must hold before a run's clock starts: tenants, connections, queues. */
final class Setup {
  /** Connections for depth queries and the like, beside pushes and pops. */
  private static final int SPARE_CONNECTIONS = 8;

  private static final String HOST_SUFFIX = ".queencell.localhost";

  private final Options options;
  private final CellHome home;
  private final boolean toProxy;
  private final URI url;

  Setup(Options options, CellHome home) {
    this.options = options;
    this.home = home;
    toProxy = options.get(CloudOptions.TARGET).equals("proxy");
    var given = options.get(CloudOptions.URL);
    url = URI.create(given == null ? homeUrl() : given);
  }

  private String homeUrl() {
    return toProxy
        ? home.get("QUEENCELL_PROXY_URL", "http://127.0.0.1:6711")
        : home.get("QUEENCELL_BROKER_URL", "http://127.0.0.1:6632");
  }

  URI url() {
    return url;
  }

  /** Where the broker answers about itself; null when that isn't known. */
  String brokerUrl() {
    return toProxy ? home.get("QUEENCELL_BROKER_URL", null) : url.toString();
  }

  /**
   * Where the proxy answers about itself: its admin listener, on the port above the tenants' unless
   * the home says otherwise. Null when it isn't in the path.
   */
  String proxyUrl() {
    if (!toProxy || url.getPort() < 0) {
      return null;
    }
    var port =
        options.isGiven(CloudOptions.URL)
            ? Integer.toString(url.getPort() + 1)
            : home.get("QUEENCELL_PORT_PROXY_ADMIN", Integer.toString(url.getPort() + 1));
    return "http://" + url.getHost() + ":" + port;
  }

  /**
   * Checks what only a combination of options shows.
   *
   * @throws BadOptionException naming the options
   */
  void check(int tenants) {
    int duration = options.get(RunOptions.DURATION);
    if (options.get(RunOptions.RAMP_SEC) >= duration) {
      throw new BadOptionException(
          "-ramp-sec is '%d'; it takes less than -duration (%d)"
              .formatted(options.get(RunOptions.RAMP_SEC), duration));
    }
    int idle = options.get(CloudOptions.IDLE_CONNS);
    int consumers = tenants * options.get(CloudOptions.CONSUMERS);
    if (idle != 0 && idle <= consumers) {
      throw new BadOptionException(
          "-idle-conns is '%d'; it takes 0 or more than the %d consumers, which park on one each"
              .formatted(idle, consumers));
    }
    if (options.get(RunOptions.FAULT).count(Fault.CROSS) > 0 && tenants < 2) {
      throw new BadOptionException("-fault takes cross with at least two tenants only");
    }
    int victim = options.get(CloudOptions.FAULT_TENANT);
    if (victim >= tenants) {
      throw new BadOptionException(
          "-fault-tenant is '%d'; it takes the number of one of the %d tenants, from 0"
              .formatted(victim, tenants));
    }
    if (!toProxy
        && !options.get(CloudOptions.BROKER_TENANT_HEADER)
        && options.get(CloudOptions.SHARED_QUEUE)
        && tenants > 1) {
      throw new BadOptionException(
          "-shared-queue is 'true'; without -broker-tenant-header it takes false: all tenants would"
              + " share one queue");
    }
  }

  /** The tenants that take part. */
  List<BenchTenant> tenants() throws SetupException {
    var named = options.get(CloudOptions.TENANTS_FILE);
    var file = named == null ? home.file("tenants.json") : Path.of(named);
    List<BenchTenant> held;
    try {
      held = TenantsFile.read(file);
    } catch (IOException e) {
      throw new SetupException(Reason.of(e));
    }
    int wanted = options.get(CloudOptions.TENANTS);
    if (held.isEmpty() || held.size() < wanted) {
      throw new SetupException(
          "%s holds %d tenants; -mode provision -tenants %d makes them"
              .formatted(file, held.size(), Math.max(1, wanted)));
    }
    return wanted == 0 ? held : held.subList(0, wanted);
  }

  QueenTransport transport(int tenants) {
    int idle = options.get(CloudOptions.IDLE_CONNS);
    int useful =
        options.get(RunOptions.MAX_INFLIGHT)
            + tenants * options.get(CloudOptions.CONSUMERS)
            + SPARE_CONNECTIONS;
    return new QueenTransport(
        url,
        QueenTransport.Options.DEFAULTS
            .withConnectionsMax(idle == 0 ? useful : idle)
            .withResponseTimeoutMs(options.get(RunOptions.TIMEOUT)));
  }

  List<Member> members(List<BenchTenant> tenants, QueenTransport transport) {
    var members = new ArrayList<Member>();
    for (var tenant : tenants) {
      var queue = options.get(CloudOptions.QUEUE);
      members.add(
          new Member(
              members.size(),
              tenant.tenant(),
              transport.client(caller(tenant)),
              options.get(CloudOptions.SHARED_QUEUE) ? queue : queue + "-" + tenant.index(),
              options.get(CloudOptions.GROUP)));
    }
    return List.copyOf(members);
  }

  private Caller caller(BenchTenant tenant) {
    if (toProxy) {
      return Caller.withApiKey(tenant.apiKey())
          .atHost(tenant.cluster() + HOST_SUFFIX + (url.getPort() < 0 ? "" : ":" + url.getPort()));
    }
    return options.get(CloudOptions.BROKER_TENANT_HEADER)
        ? Caller.withTenant(tenant.brokerTenantUuid())
        : Caller.ANONYMOUS;
  }

  /** Gives every tenant's queue the run's options; proves on the way that all of them answer. */
  void configure(List<Member> members) throws SetupException {
    int completed = options.get(RunOptions.COMPLETED_RETENTION);
    int pending = options.get(RunOptions.PENDING_RETENTION);
    var queueOptions =
        QueueOptions.UNCHANGED
            .leaseSeconds(options.get(RunOptions.LEASE_TIME))
            .completedRetentionSeconds(completed)
            .retentionSeconds(pending)
            .with("retentionEnabled", completed > 0 || pending > 0)
            .dedupWindowSeconds(options.get(RunOptions.DEDUP_WINDOW))
            .minPopWaitMs(options.get(CloudOptions.MIN_POP_WAIT));
    boolean skip = options.get(CloudOptions.SKIP_CONFIGURE);
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var calls = new ArrayList<Future<?>>();
      for (var member : members) {
        calls.add(
            threads.submit(
                () -> {
                  if (skip) {
                    member.client().queues();
                  } else {
                    member.client().configure(member.queue(), queueOptions);
                  }
                }));
      }
      for (int i = 0; i < calls.size(); i++) {
        try {
          calls.get(i).get();
        } catch (ExecutionException e) {
          if (e.getCause() instanceof QueenException q) {
            throw new SetupException(
                "tenant %s: %s".formatted(members.get(i).name(), q.getMessage()));
          }
          throw new IllegalStateException(e.getCause());
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SetupException("interrupted");
    }
  }
}
