/**
 * How much a cluster may do: token buckets for requests and messages, places for parked pops,
 * queues and partitions, bytes kept. State is per process and starts over with it; only the buckets
 * can be shared by several proxies. Whether a refusal is applied or only noted is not decided here.
 */
package dev.queencell.proxy.limit;
