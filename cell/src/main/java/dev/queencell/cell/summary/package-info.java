/**
 * Joins the loader's run record with the sampler's files into one summary of a measured point, over
 * the steady window only, and says what limited the point.
 *
 * <p>Pure arithmetic over files that exist: measures nothing, asks no running process, and gives
 * the same answer however often it is asked.
 */
package dev.queencell.cell.summary;
