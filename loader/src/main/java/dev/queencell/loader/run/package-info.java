/**
 * Owns what every measuring mode is made of: pushes, consumers and acks that account for every
 * message, the phases of a run, what is printed, the frame from configuration line to exit code.
 * Never chooses who takes part or how the queues are set up; that is the modes' business.
 */
package dev.queencell.loader.run;
