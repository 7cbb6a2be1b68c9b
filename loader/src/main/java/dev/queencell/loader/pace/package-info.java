/**
 * Owns when things are due: schedules and the pacer that serves them from an injected clock. Never
 * sends anything and never waits for anything but the clock.
 */
package dev.queencell.loader.pace;
