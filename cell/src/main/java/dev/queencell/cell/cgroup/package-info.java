/**
 * The kernel's control groups of a cell: one parent that carries the caps, one child for each
 * process that tells what it used. Version 1, where every controller may be a hierarchy of its own,
 * and version 2.
 *
 * <p>Touches only groups whose name begins with {@code queencell}; the one exception is handing the
 * controllers down at the top of a version 2 hierarchy. A cap counts when the kernel reads it back.
 */
package dev.queencell.cell.cgroup;
