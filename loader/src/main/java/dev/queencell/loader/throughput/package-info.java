/**
 * Owns the modes {@code max} and {@code openloop}: one queue, as much as it takes or a fixed rate,
 * drained by closed-loop consumers. Never touches tenants.
 */
package dev.queencell.loader.throughput;
