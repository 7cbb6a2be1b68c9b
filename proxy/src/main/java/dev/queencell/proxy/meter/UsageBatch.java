package dev.queencell.proxy.meter;

import java.util.List;
import java.util.UUID;

/**
 * Usage that is added to the tenant state as one.
 *
 * @param id what the tenant state knows a batch by that it was given before
 */
public record UsageBatch(UUID id, List<UsageRow> rows) {}
