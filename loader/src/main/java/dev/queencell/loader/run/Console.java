package dev.queencell.loader.run;

import dev.queencell.loader.measure.Counter;
import dev.queencell.loader.measure.Counters;
import dev.queencell.loader.measure.IntervalFiles;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What a run says while it runs: on a terminal one live line that is written over, elsewhere one
 * plain line per report interval. Plain lines are kept for the record. Belongs to one thread.
 */
public final class Console {
  private static final int LINES_MAX = 20_000;

  /** To the line's beginning, and a text that is too long for the terminal stays in its line. */
  private static final String LIVE_BEGIN = "\r\u001b[?7l";

  /** The rest of the line is blank, and texts wrap again. */
  private static final String LIVE_END = "\u001b[K\u001b[?7h";

  private final PrintStream out;
  private final boolean terminal;
  private final List<String> lines = new ArrayList<>();
  private IntervalFiles.Row last;

  public Console(PrintStream out, boolean terminal) {
    this.out = out;
    this.terminal = terminal;
  }

  public boolean isTerminal() {
    return terminal;
  }

  /** Says a line and keeps it. */
  public void line(String text) {
    if (terminal) {
      out.print("\r\u001b[K");
    }
    out.println(text);
    out.flush();
    if (lines.size() < LINES_MAX) {
      lines.add(text);
    }
  }

  /** A report interval: a plain line, or only kept when there is a live line. */
  public void interval(IntervalFiles.Row row, long open) {
    last = row;
    var text =
        String.format(
            Locale.ROOT,
            "%6.0fs offered %.0f/s accepted %.0f/s delivered %.0f/s shed %.0f/s open %d inflight %d"
                + " push-p99 %.1fms e2e-p99 %.1fms errors %d | loader %.2f cores, late-p99 %.1fms",
            row.seconds(),
            row.perSecond().get(Counter.OFFERED),
            row.perSecond().get(Counter.ACCEPTED),
            row.perSecond().get(Counter.DELIVERED),
            row.perSecond().get(Counter.SHED),
            open,
            row.inFlight(),
            row.pushP99Ms(),
            row.endToEndP99Ms(),
            row.errors(),
            row.loaderCores(),
            row.latenessP99Ms());
    if (terminal) {
      lines.add(text);
    } else {
      line(text);
    }
  }

  /**
   * The live line; nothing where there is no terminal. Rates and latency are the last interval's.
   *
   * @param total length of the load in s; 0 for no end
   */
  public void live(String phase, double seconds, double total, Counters counters, long open) {
    if (!terminal) {
      return;
    }
    var rates =
        last == null
            ? ""
            : String.format(
                Locale.ROOT,
                " in %.0f/s out %.0f/s p99 %.1fms",
                last.perSecond().get(Counter.ACCEPTED),
                last.perSecond().get(Counter.DELIVERED),
                last.endToEndP99Ms());
    var text =
        String.format(
            Locale.ROOT,
            "%s %.0f%ss%s pushed %d delivered %d lag %d shed %d errors %d",
            phase,
            seconds,
            total > 0 ? String.format(Locale.ROOT, "/%.0f", total) : "",
            rates,
            counters.total(Counter.ACCEPTED),
            counters.total(Counter.DELIVERED),
            open,
            counters.total(Counter.SHED),
            counters.errorCount());
    out.print(LIVE_BEGIN + text + LIVE_END);
    out.flush();
  }

  /** Everything said so far, live lines left out. */
  public List<String> lines() {
    return lines;
  }
}
