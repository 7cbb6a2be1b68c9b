/**
 * Looks into bodies without building them up: how many messages a push carries and how large they
 * are, how many a pop handed out. Never changes a byte, never decides.
 */
package dev.queencell.proxy.body;
