/**
 * Turns samples into figures: what is drawn, over which axis, with gaps where nothing is known. A
 * figure is data in the units that it is read in; how it looks is the page's matter.
 */
package dev.queencell.report.figure;
