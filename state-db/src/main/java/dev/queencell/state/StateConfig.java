package dev.queencell.state;

import dev.queencell.service.Settings;
import dev.queencell.state.http.StateApi;
import dev.queencell.state.session.Sessions;
import dev.queencell.state.store.Database;
import dev.queencell.state.usage.RollUp;
import java.util.Optional;

/**
 * Everything that can be set, checked before the first socket opens.
 *
 * @param access the listener and its two tokens, neither of which has a default
 * @param database where the tenant state lives
 * @param usage sums and warnings
 * @param sessions how people log in
 */
record StateConfig(
    StateApi.Access access, Database.Address database, Usage usage, Sessions.Rules sessions) {
  /**
   * How usage is summed up and warned about.
   *
   * @param rollUpMs how often minutes are added up and months looked at
   * @param keepDays how long minutes are kept
   * @param warnPercent of a monthly quota
   */
  record Usage(long rollUpMs, int keepDays, int warnPercent) {}

  private static final int PORT_MAX = 65_535;
  private static final int TOKEN_CHARS_MIN = 16;
  private static final long ROLL_UP_MS_MIN = 1_000;
  private static final long ROLL_UP_MS_MAX = 86_400_000;
  private static final int KEEP_DAYS_MAX = 3650;

  /**
   * Reads the environment.
   *
   * @throws IllegalStateException naming every problem
   */
  static StateConfig read(Settings settings) {
    var host = settings.text("QUEENCELL_STATE_BIND_ADDR", "127.0.0.1");
    int port = settings.integer("QUEENCELL_STATE_PORT", 6720, 0, PORT_MAX);
    var adminToken = token(settings, "QUEENCELL_ADMIN_TOKEN");
    var edgeToken = token(settings, "QUEENCELL_EDGE_TOKEN");
    if (!adminToken.isEmpty() && adminToken.equals(edgeToken)) {
      settings.problem("QUEENCELL_ADMIN_TOKEN and QUEENCELL_EDGE_TOKEN are the same secret");
    }
    var database =
        new Database.Address(
            settings.text("PXDB_HOST", "127.0.0.1"),
            settings.integer("PXDB_PORT", 5465, 1, PORT_MAX),
            settings.text("PXDB_DB", "queencell_state"),
            settings.text("PXDB_USER", "queencell"),
            settings.secret("PXDB_PASSWORD"));
    var usage =
        new Usage(
            settings.number("QUEEN_PROXY_ROLLUP_MS", 3_600_000, ROLL_UP_MS_MIN, ROLL_UP_MS_MAX),
            settings.integer(
                "QUEEN_PROXY_USAGE_KEEP_DAYS", 90, RollUp.KEEP_DAYS_MIN, KEEP_DAYS_MAX),
            settings.integer("QUEEN_PROXY_QUOTA_WARN_PERCENT", 80, 1, 100));
    var cookieDomain = Optional.ofNullable(settings.text("QUEEN_PROXY_COOKIE_DOMAIN", null));
    var sessions = SessionSettings.read(settings);
    settings.conclude();
    return new StateConfig(
        new StateApi.Access(host, port, adminToken, edgeToken, cookieDomain),
        database,
        usage,
        sessions);
  }

  private static String token(Settings settings, String name) {
    var token = settings.secret(name);
    if (token == null) {
      settings.problem(
          "%s is not set; it takes a secret of at least %d characters (or %s_FILE a file with it)"
              .formatted(name, TOKEN_CHARS_MIN, name));
      return "";
    }
    if (token.length() < TOKEN_CHARS_MIN) {
      settings.problem("%s is shorter than %d characters".formatted(name, TOKEN_CHARS_MIN));
    }
    return token;
  }
}
