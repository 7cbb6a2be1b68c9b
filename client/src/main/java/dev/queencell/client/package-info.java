/**
 * The Java client of a Queen Cell broker, direct or through the proxy.
 *
 * <p>Owns the HTTP requests of the message plane, their bodies and the typed failures; the consume
 * loop with its lease renewals; and the few control-plane calls that create tenants. Never owns a
 * payload's meaning: payloads are raw JSON bytes on the way in and slices of the answer on the way
 * out. Start at {@link dev.queencell.client.QueenTransport}.
 */
package dev.queencell.client;
