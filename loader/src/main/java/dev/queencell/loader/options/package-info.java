/**
 * Owns command lines and the cell home that gives them defaults: one declaration per option serves
 * parsing, checking and help. Never knows what an option means to a mode.
 */
package dev.queencell.loader.options;
