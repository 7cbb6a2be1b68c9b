/**
 * The repository reads itself: rules that no compiler knows, over every file that git tracks.
 *
 * <p>Knows nothing of what the code does. A rule is a pure function of a file and has a test that
 * shows it failing.
 */
package dev.queencell.tidy;
