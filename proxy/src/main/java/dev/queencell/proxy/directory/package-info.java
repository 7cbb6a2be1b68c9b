/**
 * What the edge knows of clusters and keys: asked from the tenant-state service, remembered for a
 * while, forgotten at once when the service says that something changed, kept for a grace time when
 * the service is away. Decides nothing about requests.
 */
package dev.queencell.proxy.directory;
