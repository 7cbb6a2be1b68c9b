package dev.queencell.broker.http;

import dev.queencell.broker.auth.AccessControl;
import dev.queencell.broker.crypto.PayloadCipher;
import dev.queencell.broker.maintenance.Maintenance;
import dev.queencell.broker.spool.Pushes;

/**
 * What stands between a request and the engine. Closed by whoever made it, not by the API.
 *
 * @param access who may call what
 * @param maintenance what is paused
 * @param pushes where pushes go in
 * @param cipher opens payloads on their way out
 */
public record Gates(
    AccessControl access, Maintenance maintenance, Pushes pushes, PayloadCipher cipher) {}
