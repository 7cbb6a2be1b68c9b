/**
 * Owns the mode {@code cloud}: many tenants' paced producers and their consumers against a proxy or
 * a broker, with every message accounted for.
 */
package dev.queencell.loader.cloud;
