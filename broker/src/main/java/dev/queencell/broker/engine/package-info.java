/**
 * The broker's decisions: who owns the database, which message gets which offset, who holds which
 * lease, what an acknowledgement means. One commit carries the work of everybody who is waiting.
 *
 * <p>{@link dev.queencell.broker.engine.Engine} is what HTTP uses; the other public types are the
 * values of its methods. Knows nothing of HTTP or JSON.
 */
package dev.queencell.broker.engine;
