package dev.queencell.broker.engine;

import java.time.Instant;

/**
 * What a lease extension did.
 *
 * @param renewed leases that live longer now
 * @param expiresAt the earliest of their ends; null when none was renewed
 */
public record ExtendOutcome(int renewed, Instant expiresAt) {}
