/**
 * Pushes that can't go to the database now: kept on this broker's disk, and stored in order when
 * the database is back.
 *
 * <p>{@link dev.queencell.broker.spool.Pushes} is the door for pushes, {@link
 * dev.queencell.broker.spool.Spool} the files behind it. Decides nothing about messages: the engine
 * deduplicates and appends them when they are replayed.
 */
package dev.queencell.broker.spool;
