/**
 * The HTTP face of the tenant state: the control plane under {@code /api/cp} and what the edge asks
 * under {@code /api/edge}. Checks tokens and input, then hands over; decides nothing itself.
 */
package dev.queencell.state.http;
