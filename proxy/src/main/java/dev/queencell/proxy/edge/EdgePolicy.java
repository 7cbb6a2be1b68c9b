package dev.queencell.proxy.edge;

import java.util.Set;

/**
 * What the operator of the cell decided, for all tenants.
 *
 * @param enforce whether soft limits refuse, or are only noted
 * @param tenantHeader whether the broker is told the tenant
 * @param sharedHosts whole host names that serve every cluster, by the key alone
 * @param defaultCluster slug that answers unknown hosts, or null
 * @param bodyBytesMax of bodies that have to be looked at
 * @param batchItemsMax where the plan sets no cap
 * @param cellParkedMax parked pops of all clusters together
 * @param longPollMaxMs cap of the timeout that a pop asks for
 * @param longPollMarginMs how much longer than that the broker may take
 */
public record EdgePolicy(
    boolean enforce,
    boolean tenantHeader,
    Set<String> sharedHosts,
    String defaultCluster,
    long bodyBytesMax,
    long batchItemsMax,
    long cellParkedMax,
    long longPollMaxMs,
    long longPollMarginMs) {}
