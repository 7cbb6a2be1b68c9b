package dev.queencell.broker;

import dev.queencell.broker.auth.AccessControl;
import dev.queencell.broker.auth.AuthConfig;
import dev.queencell.broker.auth.Role;
import dev.queencell.service.Settings;
import java.net.URI;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/** The settings that start with {@code JWT_}. */
final class AuthSettings {
  private static final int SECONDS_MAX = 31_536_000;
  private static final int TIMEOUT_MS_MAX = 60_000;
  private static final String SKIP_PATHS = "/health,/metrics/prometheus,/metrics,/";

  private AuthSettings() {}

  static AuthConfig read(Settings settings) {
    boolean enabled = settings.flag("JWT_ENABLED", false);
    var algorithm =
        settings.choice(
            "JWT_ALGORITHM", "HS256", AccessControl.algorithms().toArray(String[]::new));
    var skipPaths =
        Arrays.stream(settings.text("JWT_SKIP_PATHS", SKIP_PATHS).split(","))
            .map(String::strip)
            .filter(path -> !path.isEmpty())
            .toList();
    return new AuthConfig(
        enabled,
        algorithm,
        settings.secret("JWT_SECRET"),
        settings.text("JWT_PUBLIC_KEY", null),
        url(settings),
        Duration.ofSeconds(settings.integer("JWT_JWKS_REFRESH_SECONDS", 3600, 1, SECONDS_MAX)),
        Duration.ofMillis(settings.integer("JWT_JWKS_TIMEOUT_MS", 5000, 1, TIMEOUT_MS_MAX)),
        settings.text("JWT_ISSUER", null),
        settings.text("JWT_AUDIENCE", null),
        Duration.ofSeconds(settings.integer("JWT_CLOCK_SKEW", 30, 0, SECONDS_MAX)),
        skipPaths,
        settings.text("JWT_ROLES_CLAIM", "role"),
        settings.text("JWT_ROLES_ARRAY_CLAIM", "roles"),
        roles(settings));
  }

  private static String url(Settings settings) {
    var text = settings.text("JWT_JWKS_URL", null);
    if (text != null && !text.matches("https?://[^/\\s]+.*")) {
      settings.problem("JWT_JWKS_URL is '%s'; it takes an http or https URL".formatted(text));
      return null;
    }
    try {
      return text == null ? null : URI.create(text).toString();
    } catch (IllegalArgumentException e) {
      settings.problem("JWT_JWKS_URL is '%s'; it takes a URL".formatted(text));
      return null;
    }
  }

  private static Map<String, Role> roles(Settings settings) {
    Map<String, Role> roles = new LinkedHashMap<>();
    name(settings, roles, "JWT_ROLE_ADMIN", "admin", Role.ADMIN);
    name(settings, roles, "JWT_ROLE_READ_WRITE", "read-write", Role.READ_WRITE);
    name(settings, roles, "JWT_ROLE_READ_ONLY", "read-only", Role.READ_ONLY);
    name(settings, roles, "JWT_ROLE_WRITE_ONLY", "write-only", Role.WRITE_ONLY);
    return roles;
  }

  private static void name(
      Settings settings, Map<String, Role> roles, String setting, String fallback, Role role) {
    var name = settings.text(setting, fallback);
    if (roles.putIfAbsent(name, role) != null) {
      settings.problem("%s is '%s', which names another role already".formatted(setting, name));
    }
  }
}
