/** Benchmarks of what the package of this name holds. They stand in it to reach its inner parts. */
package dev.queencell.loader.account;
