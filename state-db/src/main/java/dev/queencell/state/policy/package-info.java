/**
 * What a tenant may do, worked out from what is stored: the merge of two statuses and the merge of
 * a plan with its overrides. Pure functions; the only place where either is decided.
 */
package dev.queencell.state.policy;
