/**
 * Token buckets that all proxies share, for those that are told to keep one exact quota together.
 * Decides in SQL, under the lock of a bucket's row.
 */
package dev.queencell.state.quota;
