package dev.queencell.broker.engine;

import dev.queencell.broker.crypto.PayloadCipher;
import dev.queencell.broker.journal.CommitWatch;
import java.util.function.Consumer;

/**
 * What an engine is made of.
 *
 * @param ownUrl where this broker serves; a standby sends clients to the owner's
 * @param lanes commit lanes; each has one session and at most one transaction in flight
 * @param tailCacheBytes recent segments kept unpacked in memory, over all lanes
 * @param dedupBytes transaction keys kept in memory, over all lanes
 * @param cipher seals payloads of queues that ask for it
 * @param retention how messages leave
 * @param watch sees every commit
 * @param answering runs what gives all answers of a commit, so that they can be sent together
 */
public record EngineConfig(
    String jdbcUrl,
    String user,
    String password,
    String ownUrl,
    int lanes,
    long tailCacheBytes,
    long dedupBytes,
    PayloadCipher cipher,
    RetentionConfig retention,
    CommitWatch watch,
    Consumer<Runnable> answering) {

  /** Without a key, and with retention as it is by default. */
  public EngineConfig(
      String jdbcUrl,
      String user,
      String password,
      String ownUrl,
      int lanes,
      long tailCacheBytes,
      long dedupBytes) {
    this(
        jdbcUrl,
        user,
        password,
        ownUrl,
        lanes,
        tailCacheBytes,
        dedupBytes,
        PayloadCipher.NONE,
        RetentionConfig.DEFAULTS,
        CommitWatch.NONE,
        Runnable::run);
  }

  /** The same with a cipher. */
  public EngineConfig with(PayloadCipher other) {
    return new EngineConfig(
        jdbcUrl,
        user,
        password,
        ownUrl,
        lanes,
        tailCacheBytes,
        dedupBytes,
        other,
        retention,
        watch,
        answering);
  }

  /** The same, watched. */
  public EngineConfig with(CommitWatch other) {
    return new EngineConfig(
        jdbcUrl,
        user,
        password,
        ownUrl,
        lanes,
        tailCacheBytes,
        dedupBytes,
        cipher,
        retention,
        other,
        answering);
  }

  /** The same with a retention of its own. */
  public EngineConfig with(RetentionConfig other) {
    return new EngineConfig(
        jdbcUrl,
        user,
        password,
        ownUrl,
        lanes,
        tailCacheBytes,
        dedupBytes,
        cipher,
        other,
        watch,
        answering);
  }

  /** The same with answers that are given together in some way. */
  public EngineConfig answering(Consumer<Runnable> other) {
    return new EngineConfig(
        jdbcUrl,
        user,
        password,
        ownUrl,
        lanes,
        tailCacheBytes,
        dedupBytes,
        cipher,
        retention,
        watch,
        other);
  }
}
