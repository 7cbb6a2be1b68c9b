package dev.queencell.loader.account;

import java.util.List;

/**
 * One tenant's account at the cutoff, in messages.
 *
 * @param offered due by the schedule
 * @param shed due while the cap on requests in flight was reached, never sent
 * @param refused kept out by 429 or 403
 * @param failed lost to any other failure of their push
 * @param delivered first deliveries
 * @param missing accepted, never delivered, and no longer queued
 * @param backlog accepted, never delivered, and still queued by the broker's own count
 * @param extra delivered, never recorded as accepted
 * @param neverIssued deliveries that name a lane or sequence that the run never used
 * @param foreign deliveries of other runs' messages
 * @param inFlight highest sequence issued minus highest seen, summed over lanes
 * @param backlogKnown whether the broker could be asked
 * @param offences first offenders of each kind
 */
public record TenantTotals(
    int tenant,
    long offered,
    long shed,
    long accepted,
    long buffered,
    long refused,
    long failed,
    long delivered,
    long missing,
    long backlog,
    long duplicate,
    long extra,
    long cross,
    long outOfOrder,
    long corrupt,
    long neverIssued,
    long foreign,
    long inFlight,
    boolean backlogKnown,
    Causes.Counts causes,
    List<Offence> offences) {}
