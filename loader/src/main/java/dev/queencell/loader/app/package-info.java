/**
 * Owns the mode {@code app}: an application's shape on one broker, with groups that each get every
 * message, uneven lanes, failures, dead letters and transactions. Never measures capacity.
 */
package dev.queencell.loader.app;
