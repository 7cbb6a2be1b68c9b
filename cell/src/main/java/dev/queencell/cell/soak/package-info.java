/**
 * Watches a long run: one row per check, read from what the run and the cell leave, and the
 * question whether something grows or falls for good.
 *
 * <p>Owns the rule of what a trend is and the files {@code RUN-ID.soak.csv} and {@code
 * RUN-ID.soak.json}. Measures nothing itself and stops nothing: {@code tools/soak.sh} does that.
 */
package dev.queencell.cell.soak;
