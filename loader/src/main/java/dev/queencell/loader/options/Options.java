package dev.queencell.loader.options;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The values of a parsed command line. Immutable. */
public final class Options {
  private final List<Option<?>> declared;
  private final Map<Option<?>, Object> given;
  private final boolean helpAsked;

  Options(List<Option<?>> declared, Map<Option<?>, Object> given, boolean helpAsked) {
    this.declared = declared;
    this.given = given;
    this.helpAsked = helpAsked;
  }

  /** The given value or the default; null where there is neither. */
  @SuppressWarnings("unchecked") // an option's value is what its own parser made
  public <T> T get(Option<T> option) {
    return given.containsKey(option) ? (T) given.get(option) : option.fallback();
  }

  public boolean isGiven(Option<?> option) {
    return given.containsKey(option);
  }

  public boolean helpAsked() {
    return helpAsked;
  }

  /** Every option with the value in force, on one line, in the order of declaration. */
  public String line() {
    return declared.stream()
        .filter(o -> get(o) != null)
        .map(o -> o.name() + "=" + quoted(Option.show(get(o))))
        .collect(Collectors.joining(" "));
  }

  private static String quoted(String value) {
    return value.matches("[^\\s'\"]+") ? value : "'" + value + "'";
  }
}
