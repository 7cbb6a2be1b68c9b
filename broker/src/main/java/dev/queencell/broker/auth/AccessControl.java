package dev.queencell.broker.auth;

import dev.queencell.service.HttpProblem;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * Lets a request in or not: first the level of its path, then, unless that is public, its token.
 * Switched off it lets everybody in. Thread-safe; blocks only to fetch published keys.
 */
public final class AccessControl implements AutoCloseable {
  private static final String BEARER = "bearer ";

  private final AuthConfig config;
  private final KeyRing keys;
  private final TokenVerifier verifier;

  /**
   * @throws IllegalStateException when it is on and there is no key to verify a token with
   */
  public AccessControl(AuthConfig config) {
    this(config, InstantSource.system(), System::nanoTime);
  }

  AccessControl(AuthConfig config, InstantSource clock, LongSupplier nanoTime) {
    this.config = config;
    this.keys = config.enabled() ? new KeyRing(config, nanoTime) : null;
    this.verifier = config.enabled() ? new TokenVerifier(config, keys, clock) : null;
  }

  /** The names that {@code JWT_ALGORITHM} takes. */
  public static List<String> algorithms() {
    return Algorithms.NAMES;
  }

  public boolean enabled() {
    return config.enabled();
  }

  /**
   * Lets a request in.
   *
   * @param authorization the header's value, or null
   * @return the subject of its token; null without one
   * @throws HttpProblem 401 without a good token, 403 when its roles are not enough, 500 when this
   *     broker lacks the key material
   */
  public String admit(String method, String path, String authorization) {
    if (!config.enabled() || isSkipped(path)) {
      return null;
    }
    var level = AccessTable.levelOf(method, path);
    if (level == AccessLevel.PUBLIC) {
      return null;
    }
    var bearer = verifier.verify(token(authorization));
    if (bearer.roles().stream().noneMatch(role -> role.satisfies(level))) {
      throw new HttpProblem(403, "Insufficient permissions", null);
    }
    return bearer.subject();
  }

  private boolean isSkipped(String path) {
    for (var skipped : config.skipPaths()) {
      boolean prefix = skipped.length() > 1 && skipped.endsWith("/");
      if (prefix ? path.startsWith(skipped) : path.equals(skipped)) {
        return true;
      }
    }
    return false;
  }

  private static String token(String authorization) {
    var value = authorization == null ? "" : authorization.strip();
    if (value.toLowerCase(Locale.ROOT).startsWith(BEARER)) {
      value = value.substring(BEARER.length()).strip();
    }
    if (value.isEmpty()) {
      throw new HttpProblem(401, "Authentication required", null);
    }
    return value;
  }

  @Override
  public void close() {
    if (keys != null) {
      keys.close();
    }
  }
}
