/**
 * What every Queen Cell service process is made of: settings, the HTTP server, the error shape, the
 * JSON codec and the identity of the build.
 *
 * <p>Owns nothing that a user of the cell would call a feature; a rule of the broker or the proxy
 * never belongs here.
 */
package dev.queencell.service;
