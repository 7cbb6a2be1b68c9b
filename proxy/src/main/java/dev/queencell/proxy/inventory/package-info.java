/**
 * What brokers have of clusters: asked for when a cap depends on it, polled for the storage quota,
 * and told to the tenant state. Decides nothing.
 */
package dev.queencell.proxy.inventory;
