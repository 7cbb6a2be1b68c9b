/**
 * The load generator's entry: finds the mode, hands over to it, and turns its outcome into an exit
 * code. Owns no rule of any mode.
 */
package dev.queencell.loader;
