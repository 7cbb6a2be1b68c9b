package dev.queencell.state;

import dev.queencell.service.Settings;
import dev.queencell.state.session.SessionTokens;
import dev.queencell.state.session.Sessions;
import dev.queencell.state.session.SigningKey;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;

/**
 * Reads how people log in. Without any key there are no sessions, and API keys work all the same; a
 * key that can't be used is a reason not to start.
 */
final class SessionSettings {
  private static final int LIFE_SECONDS_DEFAULT = 86_400;
  private static final int LIFE_SECONDS_MIN = 60;
  private static final int LIFE_SECONDS_MAX = 30 * 86_400;

  private SessionSettings() {}

  static Sessions.Rules read(Settings settings) {
    // The first one that is set counts.
    var privatePem = key(settings, "QUEEN_PROXY_JWT_ED25519_PEM", SigningKey::ofPrivatePem);
    var publicPem = key(settings, "QUEEN_PROXY_JWT_ED25519_PUB_PEM", SigningKey::ofPublicPem);
    var secret = key(settings, "QUEEN_PROXY_JWT_SECRET", SigningKey::ofSecret);
    var audience = audience(settings);
    int lifeSeconds =
        settings.integer(
            "QUEEN_PROXY_JWT_TTL_S", LIFE_SECONDS_DEFAULT, LIFE_SECONDS_MIN, LIFE_SECONDS_MAX);
    boolean operators = settings.flag("QUEEN_PROXY_OPERATOR_ENABLED", false);
    var signing = privatePem.or(() -> secret).or(() -> publicPem);
    return new Sessions.Rules(
        signing.map(key -> new SessionTokens(key, audience)),
        Duration.ofSeconds(lifeSeconds),
        operators);
  }

  private static Optional<SigningKey> key(
      Settings settings, String name, Function<String, SigningKey> reader) {
    var text = settings.secret(name);
    if (text == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(reader.apply(text));
    } catch (IllegalArgumentException e) {
      settings.problem("%s can't be used: %s".formatted(name, e.getMessage()));
      return Optional.empty();
    }
  }

  /** What a token must name if it names any: the setting, else the public host. */
  private static Optional<String> audience(Settings settings) {
    var named = settings.text("QUEEN_PROXY_JWT_AUD", null);
    var publicUrl = settings.text("QUEEN_PROXY_PUBLIC_URL", null);
    if (named != null || publicUrl == null) {
      return Optional.ofNullable(named);
    }
    try {
      return Optional.ofNullable(new URI(publicUrl).getHost());
    } catch (URISyntaxException e) {
      settings.problem("QUEEN_PROXY_PUBLIC_URL is '%s'; it takes a URL".formatted(publicUrl));
      return Optional.empty();
    }
  }
}
