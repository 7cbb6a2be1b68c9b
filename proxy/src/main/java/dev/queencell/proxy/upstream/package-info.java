/**
 * The way to the brokers: pooled connections, one attempt per request, answers as streams. A
 * request whose bytes may have reached a broker is never sent again, whatever happened to it.
 */
package dev.queencell.proxy.upstream;
