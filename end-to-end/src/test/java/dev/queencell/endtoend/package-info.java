/**
 * Whole processes under test: real brokers, proxies and PostgreSQL servers, killed and frozen while
 * clients use them.
 *
 * <p>Owns no rule of its own; what must hold is said by the other modules and by the contract.
 */
package dev.queencell.endtoend;
