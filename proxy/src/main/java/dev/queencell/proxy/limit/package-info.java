/**
 * How much a cluster may do: token buckets for requests and messages, places for parked pops,
 * queues and partitions. State is per process and starts over with it; one proxy serves a cell, so
 * that the counts are exact. Whether a refusal is applied or only noted is not decided here.
 */
package dev.queencell.proxy.limit;
