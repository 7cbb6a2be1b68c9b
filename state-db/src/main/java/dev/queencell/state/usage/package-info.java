/**
 * What tenants used: metering that counts every batch once, sums by day and month, and the two
 * quotas over them, messages of a month and bytes retained. Announces what the edge must block.
 *
 * <p>Knows nothing of HTTP routes, and of who may ask.
 */
package dev.queencell.state.usage;
