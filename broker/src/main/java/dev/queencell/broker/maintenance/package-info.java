/**
 * What an operator has paused: pushes, pops, or both.
 *
 * <p>{@link dev.queencell.broker.maintenance.Maintenance} is what others use. Only says what is
 * paused; who serves pushes and pops acts on it.
 */
package dev.queencell.broker.maintenance;
