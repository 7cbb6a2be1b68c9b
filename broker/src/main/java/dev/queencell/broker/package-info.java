/**
 * The broker as a process: its settings, its start and its stop.
 *
 * <p>Puts the engine and the HTTP API together; neither of them knows this package.
 */
package dev.queencell.broker;
