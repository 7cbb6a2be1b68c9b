package dev.queencell.loader.options;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** The values of a parsed command line; remembers which were asked for. Thread-safe. */
public final class Options {
  private final List<Option<?>> declared;
  private final Map<Option<?>, Object> given;
  private final List<String> words;
  private final boolean helpAsked;
  private final Set<Option<?>> read = ConcurrentHashMap.newKeySet();

  Options(
      List<Option<?>> declared,
      Map<Option<?>, Object> given,
      List<String> words,
      boolean helpAsked) {
    this.declared = declared;
    this.given = given;
    this.words = List.copyOf(words);
    this.helpAsked = helpAsked;
  }

  /**
   * The given value or the default; null where there is neither.
   *
   * @throws IllegalArgumentException for an option that the mode doesn't declare: what is read is
   *     in the help
   */
  @SuppressWarnings("unchecked") // an option's value is what its own parser made
  public <T> T get(Option<T> option) {
    if (!declares(option)) {
      throw new IllegalArgumentException(option + " was not declared");
    }
    read.add(option);
    return given.containsKey(option) ? (T) given.get(option) : option.fallback();
  }

  /** Whether the mode has this option. */
  public boolean declares(Option<?> option) {
    return declared.contains(option);
  }

  /**
   * Declared options whose value nobody has asked for: the help lists them and nothing reads them.
   */
  public List<Option<?>> unread() {
    return declared.stream().filter(o -> !read.contains(o)).toList();
  }

  public boolean isGiven(Option<?> option) {
    return given.containsKey(option);
  }

  /** What is no option and no option's value. */
  public List<String> words() {
    return words;
  }

  public boolean helpAsked() {
    return helpAsked;
  }

  /** Every option with the value in force, on one line, in the order of declaration. */
  public String line() {
    return declared.stream()
        .filter(o -> value(o) != null)
        .map(o -> o.name() + "=" + quoted(Option.show(value(o))))
        .collect(Collectors.joining(" "));
  }

  private Object value(Option<?> option) {
    return given.containsKey(option) ? given.get(option) : option.fallback();
  }

  private static String quoted(String value) {
    return value.matches("[^\\s'\"]+") ? value : "'" + value + "'";
  }
}
