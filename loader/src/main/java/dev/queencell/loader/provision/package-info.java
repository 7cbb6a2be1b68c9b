/**
 * Owns the tenants of a test bench: creating them through the tenant-state service and keeping
 * their keys in a file. Never deletes a tenant or a key.
 */
package dev.queencell.loader.provision;
