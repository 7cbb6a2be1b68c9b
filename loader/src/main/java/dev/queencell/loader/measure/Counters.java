package dev.queencell.loader.measure;

import java.util.EnumMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts over the run and within its steady window, and errors by kind. Thread-safe. */
public final class Counters {
  /** Kinds come from servers, so their number is bounded. */
  private static final int ERROR_KINDS_MAX = 200;

  private final Map<Counter, LongAdder> total = new EnumMap<>(Counter.class);
  private final Map<Counter, LongAdder> steady = new EnumMap<>(Counter.class);
  private final ConcurrentMap<String, LongAdder> errors = new ConcurrentHashMap<>();

  public Counters() {
    for (var counter : Counter.values()) {
      total.put(counter, new LongAdder());
      steady.put(counter, new LongAdder());
    }
  }

  public void add(Counter counter, long count, boolean inSteady) {
    total.get(counter).add(count);
    if (inSteady) {
      steady.get(counter).add(count);
    }
  }

  /** Counts an error, as {@code push.429.rate_limited}. */
  public void error(String operation, String kind) {
    var name = operation + "." + kind;
    if (errors.size() >= ERROR_KINDS_MAX && !errors.containsKey(name)) {
      name = operation + ".other";
    }
    errors.computeIfAbsent(name, _ -> new LongAdder()).increment();
  }

  public long total(Counter counter) {
    return total.get(counter).sum();
  }

  public long steady(Counter counter) {
    return steady.get(counter).sum();
  }

  public SortedMap<String, Long> errors() {
    var sums = new TreeMap<String, Long>();
    errors.forEach((kind, count) -> sums.put(kind, count.sum()));
    return sums;
  }

  public long errorCount() {
    return errors.values().stream().mapToLong(LongAdder::sum).sum();
  }
}
