/**
 * Owns what a measured message looks like: its stamp, its filler and how both are read back. Never
 * judges what it read.
 */
package dev.queencell.loader.payload;
