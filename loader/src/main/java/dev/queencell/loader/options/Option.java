package dev.queencell.loader.options;

import java.util.Arrays;
import java.util.function.Function;

/**
 * One long option: its name, default, what it accepts and what it is for. Declared once as a
 * constant of its mode; the same constant parses the command line, prints the help and reads the
 * value. Immutable.
 *
 * @param <T> type of the value
 */
public final class Option<T> {
  private final String name;
  private final T fallback;
  private final String accepts;
  private final String text;
  private final boolean flag;
  private final Function<String, T> parser;

  private Option(
      String name,
      T fallback,
      String accepts,
      String text,
      boolean flag,
      Function<String, T> parser) {
    this.name = name;
    this.fallback = fallback;
    this.accepts = accepts;
    this.text = text;
    this.flag = flag;
    this.parser = parser;
  }

  /**
   * A whole number.
   *
   * @param unit shown in the help; empty for a plain count
   */
  public static Option<Integer> integer(
      String name, int fallback, int min, int max, String unit, String text) {
    return new Option<>(
        name,
        fallback,
        "a whole number from %d to %d%s"
            .formatted(min, max, unit.isEmpty() ? "" : " (" + unit + ")"),
        text,
        false,
        value -> {
          int parsed = Integer.parseInt(value);
          if (parsed < min || parsed > max) {
            throw new IllegalArgumentException("out of range");
          }
          return parsed;
        });
  }

  /** A decimal number. */
  public static Option<Double> decimal(
      String name, double fallback, double min, double max, String unit, String text) {
    return new Option<>(
        name,
        fallback,
        "a number from %s to %s%s"
            .formatted(plain(min), plain(max), unit.isEmpty() ? "" : " (" + unit + ")"),
        text,
        false,
        value -> {
          double parsed = Double.parseDouble(value);
          if (!(parsed >= min && parsed <= max)) {
            throw new IllegalArgumentException("out of range");
          }
          return parsed;
        });
  }

  /** A switch: alone it means true. */
  public static Option<Boolean> flag(String name, boolean fallback, String text) {
    return new Option<>(
        name,
        fallback,
        "true or false",
        text,
        true,
        value ->
            switch (value) {
              case "true", "1" -> true;
              case "false", "0" -> false;
              default -> throw new IllegalArgumentException("no boolean");
            });
  }

  /** One word of a closed choice; the first is the default. */
  public static Option<String> choice(String name, String text, String... words) {
    return new Option<>(
        name,
        words[0],
        "one of " + String.join(", ", words),
        text,
        false,
        value -> {
          if (!Arrays.asList(words).contains(value)) {
            throw new IllegalArgumentException("no such word");
          }
          return value;
        });
  }

  /** Text that matches a pattern; a null default means that the mode finds one itself. */
  public static Option<String> text(
      String name, String fallback, String pattern, String accepts, String text) {
    return parsed(
        name,
        fallback,
        accepts,
        text,
        value -> {
          if (!value.matches(pattern)) {
            throw new IllegalArgumentException("no match");
          }
          return value;
        });
  }

  /**
   * Anything else.
   *
   * @param parser throws {@link IllegalArgumentException} for what it doesn't accept
   */
  public static <T> Option<T> parsed(
      String name, T fallback, String accepts, String text, Function<String, T> parser) {
    return new Option<>(name, fallback, accepts, text, false, parser);
  }

  private static String plain(double number) {
    return number == Math.rint(number) ? Long.toString((long) number) : Double.toString(number);
  }

  /** The same option with another default, for a mode that wants one. */
  public Option<T> withDefault(T other) {
    return new Option<>(name, other, accepts, text, flag, parser);
  }

  public String name() {
    return name;
  }

  T fallback() {
    return fallback;
  }

  boolean isFlag() {
    return flag;
  }

  String accepts() {
    return accepts;
  }

  /** The help's sentence, with what is accepted and the default. */
  String description() {
    var shown = fallback == null || fallback.equals("") ? "" : "; default " + show(fallback);
    return "%s: %s%s".formatted(text, accepts, shown);
  }

  T parse(String value) {
    try {
      return parser.apply(value);
    } catch (IllegalArgumentException e) {
      throw new BadOptionException("-%s is '%s'; it takes %s".formatted(name, value, accepts));
    }
  }

  static String show(Object value) {
    return value instanceof Double number ? plain(number) : String.valueOf(value);
  }

  @Override
  public String toString() {
    return "-" + name;
  }
}
