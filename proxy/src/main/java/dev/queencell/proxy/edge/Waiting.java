package dev.queencell.proxy.edge;

import dev.queencell.service.HttpProblem;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The pops that wait at a broker. When something changes about their cluster or their key they are
 * judged again, and those that may no longer be there are cut and told why.
 *
 * <p>Thread-safe. Bounded by the parked places.
 */
final class Waiting {
  private static final int STATE_AWAY = 502;

  private final Gatekeeper gatekeeper;
  private final Map<Exchange, Runnable> pops = new ConcurrentHashMap<>();
  private final Map<Exchange, HttpProblem> refused = new ConcurrentHashMap<>();
  private volatile boolean stopping;

  Waiting(Gatekeeper gatekeeper) {
    this.gatekeeper = gatekeeper;
  }

  /**
   * A pop waits.
   *
   * @param cut ends its call to the broker, from any thread
   */
  void add(Exchange exchange, Runnable cut) {
    pops.put(exchange, cut);
    if (stopping) {
      cut.run();
    }
  }

  void remove(Exchange exchange) {
    pops.remove(exchange);
    refused.remove(exchange);
  }

  /** Why a pop was cut, or null when its client or this process wanted so. */
  HttpProblem reason(Exchange exchange) {
    return refused.get(exchange);
  }

  /**
   * Something changed: judges again in the background, since the tenant state may have to be asked.
   *
   * @param clusterId whose pops; all when it is empty
   */
  void judgeAgain(String clusterId) {
    if (!pops.isEmpty()) {
      Thread.ofVirtual().name("judge-waiting").start(() -> judge(clusterId));
    }
  }

  /**
   * Cuts all, and those that come, so that a stop need not wait for them. To their clients it looks
   * like what it is: the server went away.
   */
  void stop() {
    stopping = true;
    pops.values().forEach(Runnable::run);
  }

  private void judge(String clusterId) {
    pops.forEach(
        (exchange, cut) -> {
          if (!clusterId.isEmpty() && !exchange.cluster().id().equals(clusterId)) {
            return;
          }
          try {
            gatekeeper.admit(exchange);
          } catch (HttpProblem e) {
            if (e.status() != STATE_AWAY) {
              refused.put(exchange, e);
              cut.run();
            }
          }
        });
    refused.keySet().removeIf(exchange -> !pops.containsKey(exchange));
  }
}
