/**
 * Makes decisions durable: one transaction carries the work of everybody who was waiting, in as few
 * round trips as PostgreSQL allows.
 *
 * <p>Owns the shape of a commit and its statements. Knows nothing of consumers, leases or time.
 */
package dev.queencell.broker.journal;
