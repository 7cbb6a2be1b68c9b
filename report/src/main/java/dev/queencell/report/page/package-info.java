/**
 * Writes the report: a page for a browser, text for a pull request, pictures of the figures. Every
 * text that comes from a file is escaped here and nowhere else; a number that is not known is a
 * dash.
 */
package dev.queencell.report.page;
