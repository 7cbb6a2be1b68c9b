/**
 * Changes to tenants, clusters, cells, plans and keys. Every change is one transaction that also
 * writes its audit row and what the edge must forget ({@link dev.queencell.state.control.Ledger}).
 * Calls are idempotent: repeating one answers the same and writes nothing.
 *
 * <p>Knows nothing of HTTP routes; refusals are {@code HttpProblem}s with the contract's codes.
 */
package dev.queencell.state.control;
