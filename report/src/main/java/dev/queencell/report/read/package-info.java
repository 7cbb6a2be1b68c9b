/**
 * Reads what measured points left in folders. Forgives: a file that is missing or broken costs what
 * it would have told and is named, never the report.
 */
package dev.queencell.report.read;
