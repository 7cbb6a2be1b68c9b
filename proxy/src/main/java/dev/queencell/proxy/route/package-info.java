/**
 * Which kind of call a request is, from its method and path alone. Closed by default: what is not
 * listed is blocked, and so is every odd spelling of what is.
 */
package dev.queencell.proxy.route;
