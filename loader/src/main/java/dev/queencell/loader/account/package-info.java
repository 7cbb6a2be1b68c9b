/**
 * Owns the judgement: what was accepted, what was delivered, what that makes missing, duplicate,
 * extra, crossed or out of order, and the verdict. Pure bookkeeping: it sends nothing, waits for
 * nothing and reads no clock.
 */
package dev.queencell.loader.account;
