/**
 * What the tests of every module stand on: a database per test class, child processes that can be
 * killed and frozen, waiting for a condition instead of sleeping, and failing on a logged error.
 *
 * <p>Owns no test data and knows no module's schema: a module hands in how its schema is made.
 */
package dev.queencell.testsupport;
