/**
 * The one way to the tenant-state database: pool, schema, statements by name, transactions.
 *
 * <p>Knows SQL and nothing of tenants; rules live in {@code control} and {@code policy}.
 */
package dev.queencell.state.store;
