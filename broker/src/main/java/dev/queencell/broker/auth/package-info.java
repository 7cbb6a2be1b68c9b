/**
 * Who may call what: access levels of paths, roles of tokens, and the verification of JSON Web
 * Tokens.
 *
 * <p>{@link dev.queencell.broker.auth.AccessControl} is what others use. Knows nothing of tenants:
 * a token is not tied to one, see the tenancy header.
 */
package dev.queencell.broker.auth;
