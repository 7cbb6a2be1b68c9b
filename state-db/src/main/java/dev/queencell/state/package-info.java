/**
 * Tenant state: who owns which cluster, under which plan, with which keys, and what changed.
 *
 * <p>Packages point one way: {@code http} to {@code control} and {@code edge}, those to {@code
 * policy} and {@code store}. Knows nothing of messages.
 */
package dev.queencell.state;
