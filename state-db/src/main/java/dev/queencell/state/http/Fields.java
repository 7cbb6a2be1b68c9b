package dev.queencell.state.http;

import dev.queencell.service.HttpProblem;
import dev.queencell.service.HttpServer;
import dev.queencell.service.Json;
import dev.queencell.state.control.Ids;
import dev.queencell.state.control.Refusal;
import dev.queencell.state.policy.Limit;
import io.javalin.http.Context;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.function.Function;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The fields of one request body. Every read has a bound and answers either a clean value or a
 * refusal that names the field and what it takes. JSON null counts as absent.
 */
final class Fields {
  private static final int NAME_CHARS_MAX = 200;
  private static final int EMAIL_BYTES_MAX = 254;
  private static final int SECRET_CHARS_MAX = 4096;
  private static final int URL_CHARS_MAX = 300;
  private static final int ECHOED_CHARS_MAX = 80;
  private static final long BODY_BYTES_MAX = 1024 * 1024;

  private static final Pattern SLUG = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");
  private static final Pattern KEY_HASH = Pattern.compile("[0-9a-f]{64}");
  private static final Pattern EMAIL = Pattern.compile("[^@\\s\\p{Cntrl}]+@[^@\\s\\p{Cntrl}]+");
  private static final Pattern VISIBLE = Pattern.compile("[\\x21-\\x7e]+");
  private static final Pattern KEY_TEXT = Pattern.compile("qk_[\\w-]+");
  private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}");

  private final ObjectNode body;

  private Fields(ObjectNode body) {
    this.body = body;
  }

  /**
   * Reads the body of a call.
   *
   * @throws HttpProblem 413 over the cap, 400 when it is not one JSON object
   */
  static Fields of(Context ctx) {
    return of(HttpServer.body(ctx, BODY_BYTES_MAX));
  }

  private static Fields of(byte[] bytes) {
    try {
      return new Fields(Json.readObject(bytes));
    } catch (HttpProblem e) {
      throw Refusal.invalid(e.getMessage());
    }
  }

  /** A slug, trimmed and lower-cased; required. */
  String slug(String name) {
    var slug = slugOr(name, null);
    if (slug == null) {
      throw missing(name, "a DNS label of 1 to 63 characters");
    }
    return slug;
  }

  String slugOr(String name, String fallback) {
    var text = raw(name);
    return text == null ? fallback : checkSlug(name, text);
  }

  /** A slug that comes from elsewhere than the body, such as the path. */
  static String checkSlug(String name, String text) {
    var slug = text.strip().toLowerCase(Locale.ROOT);
    if (!SLUG.matcher(slug).matches()) {
      throw Refusal.invalid(
          "%s is %s; it takes a DNS label: 1 to 63 of a-z, 0-9 and '-', no '-' at either end"
              .formatted(name, quoted(text)));
    }
    return slug;
  }

  /** A slug or an id, or null when absent. */
  String reference(String name) {
    var text = raw(name);
    if (text == null) {
      return null;
    }
    return Ids.isUuid(text) ? text : checkSlug(name, text);
  }

  /** A text for people, trimmed, without control characters. */
  String nameOr(String name, String fallback) {
    var text = raw(name);
    if (text == null) {
      return fallback;
    }
    var trimmed = text.strip();
    if (trimmed.isEmpty() || trimmed.length() > NAME_CHARS_MAX || CONTROL.matcher(trimmed).find()) {
      throw Refusal.invalid(
          "%s is empty, longer than %d characters or holds a control character"
              .formatted(name, NAME_CHARS_MAX));
    }
    return trimmed;
  }

  String name(String name) {
    var text = nameOr(name, null);
    if (text == null) {
      throw missing(name, "a text of 1 to %d characters".formatted(NAME_CHARS_MAX));
    }
    return text;
  }

  /** An address, lower-cased; null when absent. */
  String email(String name) {
    var text = raw(name);
    if (text == null) {
      return null;
    }
    var email = text.strip().toLowerCase(Locale.ROOT);
    if (email.getBytes(StandardCharsets.UTF_8).length > EMAIL_BYTES_MAX
        || !EMAIL.matcher(email).matches()) {
      throw Refusal.invalid(
          "%s is not an email address of at most %d bytes".formatted(name, EMAIL_BYTES_MAX));
    }
    return email;
  }

  /** Any text, such as a password, whose rule lives elsewhere; null when absent. */
  String secretText(String name) {
    var text = raw(name);
    if (text != null && text.length() > SECRET_CHARS_MAX) {
      throw Refusal.invalid("%s is longer than %d characters".formatted(name, SECRET_CHARS_MAX));
    }
    return text;
  }

  /** A secret that travels in a header: visible ASCII; null when absent. */
  String headerSecret(String name) {
    var text = secretText(name);
    if (text != null && !VISIBLE.matcher(text).matches()) {
      throw Refusal.invalid(name + " takes visible ASCII characters without spaces");
    }
    return text;
  }

  /** One of a closed choice; null when absent. */
  String choice(String name, List<String> accepted) {
    var text = raw(name);
    if (text == null || accepted.contains(text)) {
      return text;
    }
    throw Refusal.invalid(
        "%s is %s; it takes one of %s".formatted(name, quoted(text), String.join(", ", accepted)));
  }

  String requiredChoice(String name, List<String> accepted) {
    var text = choice(name, accepted);
    if (text == null) {
      throw missing(name, "one of " + String.join(", ", accepted));
    }
    return text;
  }

  UUID uuid(String name) {
    var id = uuidOrNull(name);
    if (id == null) {
      throw missing(name, "a UUID");
    }
    return id;
  }

  UUID uuidOrNull(String name) {
    var text = raw(name);
    return text == null ? null : checkUuid(name, text);
  }

  static UUID checkUuid(String name, String text) {
    if (!Ids.isUuid(text)) {
      throw Refusal.invalid("%s is %s; it takes a UUID".formatted(name, quoted(text)));
    }
    return UUID.fromString(text);
  }

  /** Hex SHA-256 of a key; null when absent. */
  String keyHashOrNull(String name) {
    var text = raw(name);
    return text == null ? null : checkKeyHash(name, text);
  }

  static String checkKeyHash(String name, String text) {
    if (!KEY_HASH.matcher(text).matches()) {
      throw Refusal.invalid(name + " takes 64 lower-case hex digits: the SHA-256 of the key");
    }
    return text;
  }

  /** A broker's address: {@code http://host:port}, nothing behind it. */
  String baseUrl(String name) {
    var text = raw(name);
    if (text == null) {
      throw missing(name, "an address like http://127.0.0.1:6632");
    }
    try {
      var url = new URI(text.strip());
      if (text.length() <= URL_CHARS_MAX && isBareHttp(url)) {
        int port = url.getPort() < 0 ? 80 : url.getPort();
        return "http://%s:%d".formatted(url.getHost().toLowerCase(Locale.ROOT), port);
      }
    } catch (URISyntaxException e) {
      // Falls through to the one message for every unusable address.
    }
    throw Refusal.invalid(
        "%s is %s; it takes an address like http://127.0.0.1:6632".formatted(name, quoted(text)));
  }

  /** A list of texts from a closed choice, at least one; null when absent. */
  List<String> choices(String name, List<String> accepted) {
    var texts = texts(name, accepted.size());
    if (texts == null) {
      return null;
    }
    for (int i = 0; i < texts.size(); i++) {
      if (!accepted.contains(texts.get(i))) {
        throw Refusal.invalid(
            "%s[%d] is %s; it takes one of %s"
                .formatted(name, i, quoted(texts.get(i)), String.join(", ", accepted)));
      }
    }
    if (texts.isEmpty()) {
      throw Refusal.invalid(
          "%s is empty; it takes at least one of %s".formatted(name, String.join(", ", accepted)));
    }
    return texts.stream().distinct().toList();
  }

  /** A list of at most {@code max} texts; null when absent. */
  List<String> texts(String name, int max) {
    var node = body.get(name);
    if (node == null || node.isNull()) {
      return null;
    }
    if (!node.isArray() || node.size() > max) {
      throw Refusal.invalid("%s takes a list of at most %d texts".formatted(name, max));
    }
    var texts = new ArrayList<String>(node.size());
    for (int i = 0; i < node.size(); i++) {
      if (!node.get(i).isString()) {
        throw Refusal.invalid("%s[%d] is not a text".formatted(name, i));
      }
      texts.add(node.get(i).stringValue());
    }
    return texts;
  }

  /** A required list of at most {@code max} objects, each read by itself. */
  <T> List<T> each(String name, int max, Function<Fields, T> reader) {
    var node = body.get(name);
    if (node == null || !node.isArray() || node.size() > max) {
      throw Refusal.invalid("%s takes a list of at most %d objects".formatted(name, max));
    }
    var list = new ArrayList<T>(node.size());
    for (int i = 0; i < node.size(); i++) {
      if (!(node.get(i) instanceof ObjectNode object)) {
        throw Refusal.invalid("%s[%d] is not an object".formatted(name, i));
      }
      try {
        list.add(reader.apply(new Fields(object)));
      } catch (HttpProblem e) {
        throw Refusal.invalid("%s[%d].%s".formatted(name, i, e.getMessage()));
      }
    }
    return list;
  }

  /** A required whole number. */
  long number(String name, long min, long max) {
    var number = numberOr(name, null, min, max);
    if (number == null) {
      throw missing(name, "a whole number from %d to %d".formatted(min, max));
    }
    return number;
  }

  /** A whole number, or the fallback when absent. */
  Long numberOr(String name, Long fallback, long min, long max) {
    var node = body.get(name);
    if (node == null || node.isNull()) {
      return fallback;
    }
    if (node.isIntegralNumber() && node.canConvertToLong()) {
      long number = node.longValue();
      if (number >= min && number <= max) {
        return number;
      }
    }
    throw Refusal.invalid("%s takes a whole number from %d to %d".formatted(name, min, max));
  }

  /** True when the field is there, be it null. */
  boolean has(String name) {
    return body.has(name);
  }

  /** True or false, or the fallback when absent or null. */
  Boolean flagOr(String name, Boolean fallback) {
    var node = body.get(name);
    if (node == null || node.isNull()) {
      return fallback;
    }
    if (!node.isBoolean()) {
      throw Refusal.invalid(name + " takes true or false");
    }
    return node.booleanValue();
  }

  /** A required text as it is, at most so many characters. */
  String text(String name, int charsMax) {
    var text = raw(name);
    if (text == null || text.isEmpty() || text.length() > charsMax) {
      throw missing(name, "a text of 1 to %d characters".formatted(charsMax));
    }
    return text;
  }

  /** The field as overrides; null when absent. */
  ObjectNode overrides(String name) {
    var node = body.get(name);
    if (node == null || node.isNull()) {
      return null;
    }
    if (node instanceof ObjectNode object) {
      return checkOverrides(name + ".", object);
    }
    throw Refusal.invalid(name + " takes an object of limits");
  }

  /**
   * The whole body as overrides.
   *
   * @throws HttpProblem 400 also without a body: {@code {}} clears them all, which nobody should do
   *     by sending nothing
   */
  static ObjectNode overrides(Context ctx) {
    var bytes = HttpServer.body(ctx, BODY_BYTES_MAX);
    if (bytes.length == 0) {
      throw Refusal.invalid("there is no body; it takes an object of limits, {} for none");
    }
    return checkOverrides("", of(bytes).body);
  }

  private static ObjectNode checkOverrides(String prefix, ObjectNode overrides) {
    for (var entry : overrides.properties()) {
      if (!Limit.columns().contains(entry.getKey())) {
        throw Refusal.invalid(
            "%s%s is no limit; there are %s"
                .formatted(prefix, cut(entry.getKey()), String.join(", ", Limit.columns())));
      }
      if (!isLimit(entry.getValue())) {
        throw Refusal.invalid(
            "%s%s takes a whole number from 0, or null for unlimited"
                .formatted(prefix, entry.getKey()));
      }
    }
    return overrides;
  }

  private static boolean isLimit(JsonNode value) {
    return value.isNull()
        || (value.isIntegralNumber() && value.canConvertToLong() && value.longValue() >= 0);
  }

  private static boolean isBareHttp(URI url) {
    return "http".equalsIgnoreCase(url.getScheme())
        && url.getHost() != null
        && url.getRawQuery() == null
        && url.getRawFragment() == null
        && url.getRawUserInfo() == null
        && (url.getRawPath().isEmpty() || url.getRawPath().equals("/"));
  }

  private String raw(String name) {
    var node = body.get(name);
    if (node == null || node.isNull()) {
      return null;
    }
    if (!node.isString()) {
      throw Refusal.invalid(name + " is not a text");
    }
    var text = node.stringValue();
    if (text.indexOf('\0') >= 0) {
      throw Refusal.invalid(name + " holds a NUL character");
    }
    return text;
  }

  private static HttpProblem missing(String name, String takes) {
    return Refusal.invalid("%s is missing; it takes %s".formatted(name, takes));
  }

  private static String quoted(String text) {
    return "'" + cut(text) + "'";
  }

  /** Echoed input stays one short line, and a key that went astray stays its owner's secret. */
  static String cut(String text) {
    var line = KEY_TEXT.matcher(CONTROL.matcher(text).replaceAll("?")).replaceAll("qk_…");
    return line.length() <= ECHOED_CHARS_MAX ? line : line.substring(0, ECHOED_CHARS_MAX) + "…";
  }
}
