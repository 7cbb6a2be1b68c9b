/**
 * Owns the numbers of a run: counters, latency histograms, the interval file, and the loader's
 * watch over itself. Never decides what a number means for the verdict.
 */
package dev.queencell.loader.measure;
