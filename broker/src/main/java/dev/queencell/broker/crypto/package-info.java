/**
 * Encryption at rest: payloads of queues that ask for it, and what the spool writes.
 *
 * <p>{@link dev.queencell.broker.crypto.PayloadCipher} is what others use. Knows nothing of queues:
 * who stores a payload decides whether it is sealed.
 */
package dev.queencell.broker.crypto;
