/**
 * The multi-tenant edge of a cell: routes each request to its cluster's broker, checks who may do
 * what and how much, and streams it through.
 *
 * <p>Packages point one way: {@code edge} uses all others; {@code limit} knows what {@code
 * directory} tells it; {@code route}, {@code body}, {@code upstream} and {@code metrics} know
 * nobody.
 */
package dev.queencell.proxy;
