package dev.queencell.service;

/**
 * The few requests of a service that are so many that a thread for each is what they would cost
 * most. They are begun on the thread that read them from the network, and answered from whatever
 * thread has the answer; everything else goes the usual way, to Javalin's routes.
 *
 * @param <E> how they come: {@link HttpExchange}, or also over a link, see {@link LinkServer}
 */
@FunctionalInterface
public interface DirectRoutes<E extends DirectExchange> {
  /**
   * Begins a request or leaves it to the routes, untouched. Must not block: other connections wait
   * for this thread.
   *
   * @return false: it is not one of these
   */
  boolean begin(E exchange);

  /**
   * Several requests have come together and begin now, one after the other.
   *
   * @return is to be run after the last one
   */
  default Runnable burst() {
    return () -> {};
  }
}
