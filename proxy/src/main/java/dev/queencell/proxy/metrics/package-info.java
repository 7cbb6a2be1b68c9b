/** What the proxy counts about itself, for the admin port. No tenant is ever a label. */
package dev.queencell.proxy.metrics;
