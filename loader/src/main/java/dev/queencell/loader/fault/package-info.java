/**
 * Owns the deliberate discrepancies: which messages they hit and how they are brought about, so
 * that the checker can be seen to fail. Never runs in a measured run that didn't ask for it.
 */
package dev.queencell.loader.fault;
