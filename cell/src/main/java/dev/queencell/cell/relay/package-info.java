/**
 * Stands between two processes of a cell and breaks what they say to each other, for tests of what
 * happens then. No part of a cell that serves anybody.
 *
 * <p>Knows bytes and connections only, and nothing of what they mean.
 */
package dev.queencell.cell.relay;
