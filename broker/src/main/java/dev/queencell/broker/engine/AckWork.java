package dev.queencell.broker.engine;

import dev.queencell.broker.engine.AckGroup.LeaseRule;
import dev.queencell.broker.engine.AckGroup.Step;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * The acknowledgements of one call that name the same partition and the same lease; they succeed or
 * fail on their own. See {@link AckGroup} for how they are decided.
 */
final class AckWork extends Work {
  static final String CONSUMER_NOT_FOUND = "consumer not found";
  static final String LEASE_INVALID = "invalid or expired lease";
  static final String ALREADY_COMMITTED =
      "already committed: the cursor moved past this message before this ack";
  static final String UNRESOLVABLE =
      "unresolvable: transaction not in the ack window (hash purged or never pushed);"
          + " if leased, the message redelivers";
  static final String FLUSH_FAILED = "ack flush failed; lease will expire and redeliver";
  static final String NOT_OWNED = "partition not owned by tenant";
  static final String DLQ_REJECTED = "dlq rejected";

  final CompletableFuture<AckOutcome[]> future = new CompletableFuture<>();
  private final AckGroup group;
  private AckOutcome[] outcomes;

  AckWork(UUID tenant, String groupName, PartitionId partitionId, List<AckItem> items) {
    super(tenant);
    group =
        new AckGroup(
            tenant, partitionId, groupName, LeaseRule.of(items.getFirst().leaseId()), items);
  }

  @Override
  WorkKind kind() {
    return WorkKind.ACK;
  }

  @Override
  int messages() {
    return group.items.size();
  }

  @Override
  void process(Lane lane) {
    var step = group.prepare(lane, this);
    if (step == Step.READING) {
      return;
    }
    outcomes = step == Step.READY ? group.apply(lane) : refused(group.refusal());
    count(lane);
    lane.answerAfterCommit(this);
  }

  private void count(Lane lane) {
    var queue = group.queue(lane);
    if (queue != null) {
      int succeeded = 0;
      for (var outcome : outcomes) {
        succeeded += outcome.success() ? 1 : 0;
      }
      lane.history.acked(queue, succeeded, outcomes.length - succeeded);
    }
  }

  private AckOutcome[] refused(String error) {
    var all = new AckOutcome[group.items.size()];
    Arrays.fill(all, AckOutcome.refused(error));
    return all;
  }

  @Override
  void answer(Lane lane) {
    for (var outcome : outcomes) {
      if (!outcome.success()) {
        lane.counters.ackFailed.increment();
      }
    }
    future.complete(outcomes);
  }

  @Override
  boolean again() {
    return true;
  }

  @Override
  void fail() {
    future.complete(refused(FLUSH_FAILED));
  }

  @Override
  void refuse(EngineUnavailableException why) {
    future.completeExceptionally(why);
  }
}
