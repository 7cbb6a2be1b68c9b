/**
 * The broker's wire: routes, the scanning of request bodies, the writing of answers, tenancy
 * headers, metrics.
 *
 * <p>{@link dev.queencell.broker.http.BrokerApi} is what others use. Decides nothing about
 * messages: it turns bytes into calls of {@link dev.queencell.broker.engine.Engine} and outcomes
 * into bytes. Payloads are never parsed into trees nor written again: bytes in are bytes out.
 */
package dev.queencell.broker.http;
