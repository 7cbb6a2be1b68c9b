/** Calls of a cluster's broker that the control plane carries there. */
package dev.queencell.state.broker;
