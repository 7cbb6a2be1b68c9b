/**
 * A tenant's request from arrival to answer, in the contract's order: which cluster, may it be
 * served, who asks, may they, how much, then forward. Decides everything and keeps no state of its
 * own beyond a request.
 */
package dev.queencell.proxy.edge;
