package dev.queencell.proxy.edge;

import dev.queencell.proxy.upstream.BrokerRequest;
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
  private final Map<BrokerRequest, Exchange> pops = new ConcurrentHashMap<>();
  private final Map<BrokerRequest, HttpProblem> refused = new ConcurrentHashMap<>();
  private volatile boolean stopping;

  Waiting(Gatekeeper gatekeeper) {
    this.gatekeeper = gatekeeper;
  }

  void add(BrokerRequest request, Exchange exchange) {
    pops.put(request, exchange);
    if (stopping) {
      request.cancel();
    }
  }

  void remove(BrokerRequest request) {
    pops.remove(request);
    refused.remove(request);
  }

  /** Why a pop was cut, or null when its client or this process wanted so. */
  HttpProblem reason(BrokerRequest request) {
    return refused.get(request);
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
    pops.keySet().forEach(BrokerRequest::cancel);
  }

  private void judge(String clusterId) {
    pops.forEach(
        (request, exchange) -> {
          if (!clusterId.isEmpty() && !exchange.cluster().id().equals(clusterId)) {
            return;
          }
          try {
            gatekeeper.admit(exchange);
          } catch (HttpProblem e) {
            if (e.status() != STATE_AWAY) {
              refused.put(request, e);
              request.cancel();
            }
          }
        });
    refused.keySet().removeIf(request -> !pops.containsKey(request));
  }
}
