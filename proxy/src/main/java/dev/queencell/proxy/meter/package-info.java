/**
 * What each cluster used, by minute and class, from the moment that the broker did it until the
 * tenant state has added it up, exactly once. Never decides anything.
 */
package dev.queencell.proxy.meter;
