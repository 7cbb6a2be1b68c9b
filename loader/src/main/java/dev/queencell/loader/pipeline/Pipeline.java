package dev.queencell.loader.pipeline;

import dev.queencell.client.QueenClient;
import dev.queencell.loader.account.Causes;
import dev.queencell.loader.account.Produced;
import dev.queencell.loader.account.StageAccount;
import dev.queencell.loader.options.Options;
import dev.queencell.loader.run.Bench;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What ingress and workers of one run share. The accounts span the warm-up and the load; clocks,
 * counters and latencies are taken anew when the load begins, under the same workers, since a poll
 * that is cut may still take messages with it. Thread-safe.
 */
final class Pipeline {
  private final Options options;
  private final QueenClient client;
  private final Map<String, StageAccount> accounts = new LinkedHashMap<>();
  private final Map<String, StageLog> logs;
  private final Map<String, Produced> produced = new LinkedHashMap<>();
  private final Causes causes = new Causes();
  private volatile Bench bench;

  Pipeline(Options options, QueenClient client, Map<String, StageLog> logs, Bench bench) {
    this.options = options;
    this.client = client;
    this.logs = logs;
    this.bench = bench;
    int properties = options.get(CmOptions.PROPERTIES);
    logs.keySet().forEach(stage -> accounts.put(stage, new StageAccount(properties)));
    Topology.QUEUES.forEach(queue -> produced.put(queue, new Produced(properties)));
  }

  /** Goes on with new numbers. */
  void begin(Bench other) {
    bench = other;
  }

  Options options() {
    return options;
  }

  QueenClient client() {
    return client;
  }

  Bench bench() {
    return bench;
  }

  StageAccount account(Topology.Stage stage) {
    return accounts.get(stage.name());
  }

  StageLog log(Topology.Stage stage) {
    return logs.get(stage.name());
  }

  Map<String, StageLog> logs() {
    return logs;
  }

  /** What was pushed, by queue. */
  Map<String, Produced> produced() {
    return produced;
  }

  Causes causes() {
    return causes;
  }

  boolean transactionIds() {
    return options.get(CmOptions.DEDUP_WINDOW) > 0;
  }

  /** The deduplication key of an event, the same however often it is pushed; null without one. */
  String transactionId(int flow, int property, long sequence) {
    return transactionIds() ? bench.run() + "-" + flow + "-" + property + "-" + sequence : null;
  }
}
