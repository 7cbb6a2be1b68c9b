package dev.queencell.broker.engine;

import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.node.ObjectNode;

/**
 * All that a broker can be asked. Thread-safe; calls block the calling (virtual) thread until the
 * answer is durable. Names are checked by the caller (see {@link Limits}); identity is always
 * (tenant, name).
 *
 * <p>Every method throws {@link EngineUnavailableException} while this broker is not the owner of
 * its database or the database does not answer; nothing has happened then, except where a method
 * says otherwise.
 */
public interface Engine extends AutoCloseable {

  /** What this broker is to its database. */
  enum Role {
    OWNER,
    STANDBY,
    /** Owner to be: taking over, or reloading after a doubt. */
    LOADING
  }

  Role role();

  /** Where the owner serves, as far as this broker knows; null when nobody owns the database. */
  String ownerUrl();

  /** Asks the database with a real round trip. */
  boolean databaseAnswers();

  /**
   * Announces that the caller asks for several things at once. They may wait for the end of the
   * burst, so that one commit carries them; it must come soon.
   *
   * @return ends the burst
   */
  Runnable burst();

  /**
   * Appends. One outcome per item, in order; items of one (queue, partition) share their fate.
   * Queues and partitions are created as needed. An item whose commit failed is {@code FAILED}; so
   * is, after a deadline, one whose commit is in doubt.
   */
  default List<PushOutcome> push(UUID tenant, List<PushItem> items) {
    return Answers.await(startPush(tenant, items));
  }

  /**
   * Starts a push: the same without a thread that waits. The answer comes on a thread of the
   * engine's, which must not be held up.
   */
  CompletableFuture<List<PushOutcome>> startPush(UUID tenant, List<PushItem> items);

  /** Starts a pop; the ticket's future has the answer. */
  PopTicket pop(PopRequest request);

  /** Acknowledges; one outcome per item, in order. */
  default List<AckOutcome> ack(UUID tenant, String group, List<AckItem> items) {
    return Answers.await(startAck(tenant, group, items));
  }

  /** Starts to acknowledge; for the answer see {@link #startPush}. */
  CompletableFuture<List<AckOutcome>> startAck(UUID tenant, String group, List<AckItem> items);

  /** What happens together or not at all. */
  Transactions transactions();

  /** Messages that a group gave up on. */
  DeadLetters deadLetters();

  /** Extends every live lease that {@code leaseId} holds for this tenant. */
  ExtendOutcome extend(UUID tenant, String leaseId, int seconds);

  /**
   * Creates or changes a queue's options by the contract's merge and replace rules.
   *
   * @param options the body's option object: absent keeps, null resets, a value sets
   * @throws OptionRefusedException naming the option whose value has the wrong type or range
   */
  QueueView configure(
      UUID tenant,
      String queue,
      String namespace,
      String task,
      ObjectNode options,
      boolean replace);

  List<QueueView> queues(UUID tenant);

  /**
   * One queue with its partitions.
   *
   * @param group counts pending for this group alone; null: for the slowest
   */
  Optional<QueueView> queue(UUID tenant, String queue, String group);

  /** Deletes a queue with all that is in it; false when there was none. */
  boolean deleteQueue(UUID tenant, String queue);

  /** Looks at messages without taking them. */
  MessageBrowser browser();

  /** The notes of clients on their messages. */
  Traces traces();

  /** What happened to queues, and what is in them now. */
  Analytics analytics();

  /** What the metrics pages show of tenants, queues and sessions. */
  Metering metering();

  /** The consumer groups. */
  Groups groups();

  /** Counters since start and gauges of now. */
  EngineStats stats();

  /** Answers parked pops, finishes commits, writes a checkpoint, gives the ownership up. */
  @Override
  void close();
}
