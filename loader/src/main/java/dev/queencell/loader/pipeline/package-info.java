/**
 * Owns the mode {@code cm}, a channel manager's pipeline of four queues: its topology, its ingress,
 * its workers, its stage logs and their verification. Never measures a broker without that shape.
 */
package dev.queencell.loader.pipeline;
