/**
 * What the proxy asks: clusters and keys as they take effect now, and the feed of what changed. The
 * contract is private between the two services, so that either may change it in one commit.
 */
package dev.queencell.state.edge;
