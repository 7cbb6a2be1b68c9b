/**
 * People's sessions: passwords checked slowly, tokens signed and verified, roles looked up live,
 * sessions ended. Knows nothing of cookies and routes.
 */
package dev.queencell.state.session;
