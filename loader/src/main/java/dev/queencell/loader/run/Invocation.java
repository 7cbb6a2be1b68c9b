package dev.queencell.loader.run;

import dev.queencell.loader.options.Options;
import java.io.PrintStream;
import java.util.Map;

/**
 * One call of a mode.
 *
 * @param terminal whether the output is one
 */
public record Invocation(
    Options options,
    Map<String, String> environment,
    PrintStream out,
    boolean terminal,
    Interruption interruption) {}
