package dev.queencell.cell.plan;

/**
 * One number that the plan decided.
 *
 * @param name as the program that takes it calls it
 * @param value as that program reads it
 * @param reason why this value, for {@code --explain}
 */
public record Setting(String name, String value, String reason) {}
