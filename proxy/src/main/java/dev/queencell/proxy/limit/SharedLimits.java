package dev.queencell.proxy.limit;

import dev.queencell.proxy.directory.StateAwayException;
import dev.queencell.proxy.directory.StateClient;
import dev.queencell.service.Json;
import io.github.bucket4j.TimeMeter;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The buckets that several proxies share: they are in the tenant state, and each proxy takes tokens
 * out of them in small reserves, so that most calls need no round trip. What a proxy holds of a
 * bucket that is silent for a second goes back; what it owes for deliveries is told every second.
 *
 * <p>Thread-safe.
 */
public final class SharedLimits implements AutoCloseable {
  /**
   * A wish to the tenant state.
   *
   * @param need none at all is better than less
   * @param want as much is welcome
   * @param debit taken whatever is there
   */
  record Ask(String clusterId, String bucket, long need, long want, long giveBack, long debit) {}

  /**
   * Its answer.
   *
   * @param granted -1 when the bucket has no limit
   */
  record Grant(long granted, long retryAfterMs) {
    static final long NO_LIMIT = -1;
  }

  static final String REQUESTS = "requests";
  static final String MESSAGES = "messages";

  private static final Logger LOG = LoggerFactory.getLogger(SharedLimits.class);
  private static final long SETTLE_MS = 1_000;
  private static final int ASKS_MAX = 500;

  /** Requests wait for an answer: soon it is better to go on alone. */
  private static final long ANSWER_MS = 500;

  private final StateClient client;
  private final TimeMeter clock;
  private final int proxies;
  private final Set<SharedLimit> limits = ConcurrentHashMap.newKeySet();
  private final AtomicLong fallbacks = new AtomicLong();
  private final AtomicLong roundTrips = new AtomicLong();
  private final CountDownLatch closing = new CountDownLatch(1);
  private final Thread thread;
  private volatile boolean away;

  /**
   * @param proxies how many there are: what each may let pass alone while the tenant state is away
   *     is one share of so many
   */
  public SharedLimits(StateClient client, TimeMeter clock, int proxies) {
    this.client = client;
    this.clock = clock;
    this.proxies = proxies;
    this.thread = Thread.ofVirtual().name("shared-limits").start(this::run);
  }

  /** Decisions that were made alone, because the tenant state was away. */
  public long fallbacks() {
    return fallbacks.get();
  }

  /** Calls to the tenant state. */
  public long roundTrips() {
    return roundTrips.get();
  }

  /** Gives back what is held. */
  @Override
  public void close() {
    closing.countDown();
    try {
      thread.join(TimeUnit.SECONDS.toMillis(3));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  SharedLimit limit(String clusterId, String bucket, Limit.Rate rate) {
    return new SharedLimit(this, clock, clusterId, bucket, rate);
  }

  /** One share of a limit, at least of a token. */
  Limit.Rate share(Limit.Rate rate) {
    return new Limit.Rate(share(rate.perSecond()), share(rate.burst()));
  }

  /** True while nobody answers: requests go on alone, and only the settling looks again. */
  boolean isAway() {
    return away;
  }

  void noteFallback() {
    fallbacks.incrementAndGet();
  }

  /** A bucket holds or owes something. */
  void inUse(SharedLimit limit) {
    limits.add(limit);
  }

  /**
   * Asks for tokens.
   *
   * @throws StateAwayException when nobody answers
   */
  List<Grant> ask(List<Ask> asks) {
    var body = Json.object();
    var list = body.putArray("asks");
    for (var ask : asks) {
      list.addObject()
          .put("cluster_id", ask.clusterId())
          .put("bucket", ask.bucket())
          .put("need", ask.need())
          .put("want", ask.want())
          .put("give_back", ask.giveBack())
          .put("debit", ask.debit());
    }
    roundTrips.incrementAndGet();
    try {
      var answer = client.send("POST", "/api/edge/reservations", body, ANSWER_MS);
      if (!answer.isOk()) {
        throw new StateAwayException("reservations answered " + answer.status(), null);
      }
      var grants = grants(answer, asks.size());
      away = false;
      return grants;
    } catch (StateAwayException e) {
      away = true;
      throw e;
    }
  }

  private static List<Grant> grants(StateClient.Answer answer, int expected) {
    var grants = new ArrayList<Grant>();
    for (var grant : answer.json().path("grants")) {
      var granted = grant.path("granted");
      grants.add(
          new Grant(
              granted.isNumber() ? granted.longValue() : Grant.NO_LIMIT,
              grant.path("retry_after_ms").asLong(0)));
    }
    if (grants.size() != expected) {
      throw new StateAwayException("reservations answered another number of grants", null);
    }
    return grants;
  }

  private long share(long whole) {
    return whole <= 0 ? 0 : Math.max(1, whole / proxies);
  }

  private void run() {
    try {
      boolean last;
      do {
        last = closing.await(SETTLE_MS, TimeUnit.MILLISECONDS);
        settle(last);
      } while (!last);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void settle(boolean everything) {
    var settled = new ArrayList<SharedLimit>();
    var asks = new ArrayList<Ask>();
    for (var limit : limits) {
      var ask = limit.settlement(everything);
      if (ask != null) {
        settled.add(limit);
        asks.add(ask);
      }
      if (asks.size() == ASKS_MAX) {
        send(settled, asks);
        settled.clear();
        asks.clear();
      }
    }
    if (!asks.isEmpty()) {
      send(settled, asks);
    }
    limits.removeIf(SharedLimit::isAtRest);
    if (asks.isEmpty()) {
      // Nobody has anything to tell: the next one that wants something finds out.
      away = false;
    }
  }

  private void send(List<SharedLimit> settled, List<Ask> asks) {
    try {
      ask(asks);
    } catch (StateAwayException e) {
      LOG.debug("reserves were not settled: {}", e.getMessage());
      for (int i = 0; i < settled.size(); i++) {
        // A debit is carried again, a give-back is not: both err on the strict side.
        settled.get(i).owe(asks.get(i).debit());
      }
    }
  }
}
