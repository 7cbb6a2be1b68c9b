/** Programs that show how the client is used; they are compiled and run with the tests. */
package dev.queencell.client.examples;
