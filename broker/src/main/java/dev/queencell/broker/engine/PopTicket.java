package dev.queencell.broker.engine;

import java.util.concurrent.CompletableFuture;

/**
 * A pop under way. The future ends with the answer no later than shortly after the request's wait,
 * or with {@link EngineUnavailableException}.
 */
public interface PopTicket {
  CompletableFuture<PopResult> result();

  /**
   * Ends a wait that has lasted long enough with a result without messages; unless messages have
   * been taken for it: then the result is about to come, and the client must get it, since what a
   * pop itself acknowledges comes no second time. Safe to call at any time.
   */
  void endWait();

  /**
   * Gives the place up: the client went away. Messages that were leased for it meanwhile become
   * available again at once. Safe to call at any time, also after the result.
   */
  void cancel();
}
