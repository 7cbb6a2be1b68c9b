package dev.queencell.proxy.edge;

import java.util.Set;

/**
 * What the operator of the cell decided, for all tenants.
 *
 * @param enforce whether soft limits refuse, or are only noted, as long as the tenant state doesn't
 *     say otherwise
 * @param tenantHeader whether the broker is told the tenant
 * @param operatorEnabled whether an operator's session may call what concerns the whole cell
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
    boolean operatorEnabled,
    Set<String> sharedHosts,
    String defaultCluster,
    long bodyBytesMax,
    long batchItemsMax,
    long cellParkedMax,
    long longPollMaxMs,
    long longPollMarginMs) {}
