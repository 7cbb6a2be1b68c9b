/** Owns the command {@code merge}, which joins the records of loaders that ran side by side. */
package dev.queencell.loader.merge;
