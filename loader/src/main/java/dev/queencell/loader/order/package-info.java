/**
 * Owns the mode {@code order}: one producer that waits for every answer, many consumers, so that
 * the order of every lane is known exactly. Never measures what a broker can take.
 */
package dev.queencell.loader.order;
