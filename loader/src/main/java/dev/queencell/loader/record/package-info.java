/**
 * Owns what a run leaves behind: the JSON record with the configuration, the host, the builds, the
 * numbers and the verdict. Never measures and never judges.
 */
package dev.queencell.loader.record;
