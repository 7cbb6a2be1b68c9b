package dev.queencell.state.session;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Counts attempts to log in per client address: so many in a window that begins with the first of
 * them. Remembers a bounded number of addresses; the one that began longest ago is forgotten first.
 *
 * <p>Thread-safe.
 */
final class LoginThrottle {
  private record Window(Instant began, int attempts) {}

  static final int ATTEMPTS_MAX = 10;
  static final Duration WINDOW = Duration.ofSeconds(60);

  private static final int CLIENTS_MAX = 10_000;

  private final Map<String, Window> windows =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Window> eldest) {
          return size() > CLIENTS_MAX;
        }
      };

  /** Counts an attempt; answers whether it may go on. */
  synchronized boolean admit(String client, Instant now) {
    var window = windows.get(client);
    if (window == null || !now.isBefore(window.began().plus(WINDOW))) {
      windows.remove(client);
      windows.put(client, new Window(now, 1));
      return true;
    }
    if (window.attempts() >= ATTEMPTS_MAX) {
      return false;
    }
    windows.put(client, new Window(window.began(), window.attempts() + 1));
    return true;
  }
}
