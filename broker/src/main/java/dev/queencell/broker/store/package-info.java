/**
 * What is stored and how: rows, migrations, the bytes of a segment, the sessions that may write.
 *
 * <p>Owns every SQL statement and the layout of packed frames. Decides nothing: what is appended,
 * leased or acknowledged comes from above.
 */
package dev.queencell.broker.store;
