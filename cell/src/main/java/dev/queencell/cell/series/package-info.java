/**
 * Reads several measured points together: the ladder of rates and its ceiling, the comparison of
 * two sides, the bench table.
 *
 * <p>Pure arithmetic over the points' summaries. Decides which point a script measures next and
 * what the points say; runs no point itself.
 */
package dev.queencell.cell.series;
