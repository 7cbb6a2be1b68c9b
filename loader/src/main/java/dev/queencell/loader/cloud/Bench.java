package dev.queencell.loader.cloud;

import dev.queencell.loader.account.Ledger;
import dev.queencell.loader.fault.Judge;
import dev.queencell.loader.measure.Counters;
import dev.queencell.loader.measure.Latencies;
import dev.queencell.loader.measure.Window;
import dev.queencell.loader.options.Options;
import dev.queencell.loader.payload.Filler;
import java.util.List;

/**
 * What producers and consumers of one run share.
 *
 * @param run tells this run's messages from another's
 */
record Bench(
    Options options,
    int run,
    List<Member> members,
    List<String> partitionNames,
    Ledger ledger,
    Judge judge,
    Counters counters,
    Latencies latencies,
    Window window,
    Filler filler) {

  /** µs since the run's start, as stamps count. */
  long micros(long nanoTime) {
    return (nanoTime - window.runStartNanos()) / 1000;
  }

  long nanos(long micros) {
    return window.runStartNanos() + micros * 1000;
  }
}
