package dev.queencell.state.cli;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A command's words: what stands by itself, and {@code --name value} or {@code --name=value}.
 * Whatever is not asked for by the end is a mistake of the caller.
 */
final class Arguments {
  private static final Set<String> FLAGS = Set.of("json", "yes", "force", "clear");

  private final ArrayDeque<String> words = new ArrayDeque<>();
  private final Map<String, String> options = new HashMap<>();

  Arguments(String... given) {
    var rest = new ArrayDeque<>(Arrays.asList(given));
    while (!rest.isEmpty()) {
      var word = rest.poll();
      if (!word.startsWith("--")) {
        words.add(word);
        continue;
      }
      int equals = word.indexOf('=');
      var name = word.substring(2, equals < 0 ? word.length() : equals);
      if (equals >= 0) {
        options.put(name, word.substring(equals + 1));
      } else if (FLAGS.contains(name)) {
        options.put(name, "true");
      } else if (rest.isEmpty()) {
        throw CommandException.ofUsage("--%s needs a value".formatted(name));
      } else {
        options.put(name, rest.poll());
      }
    }
  }

  /** The next word. */
  String word(String what) {
    var word = words.poll();
    if (word == null) {
      throw CommandException.ofUsage("%s is missing".formatted(what));
    }
    return word;
  }

  /** The words that are left. */
  List<String> rest() {
    var rest = new ArrayList<>(words);
    words.clear();
    return rest;
  }

  Optional<String> option(String name) {
    return Optional.ofNullable(options.remove(name));
  }

  boolean flag(String name) {
    return options.remove(name) != null;
  }

  /** Refuses what nobody asked for. */
  void conclude() {
    if (!words.isEmpty()) {
      throw CommandException.ofUsage("'%s' is one word too many".formatted(words.peek()));
    }
    if (!options.isEmpty()) {
      throw CommandException.ofUsage(
          "no option '--%s' here".formatted(options.keySet().iterator().next()));
    }
  }
}
