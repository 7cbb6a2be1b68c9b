package dev.queencell.report.read;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * One report line of the loader: what happened up to this instant since the line before.
 *
 * @param endSeconds since the load began
 * @param spanSeconds length of the interval
 * @param counts by column, as the loader spells it; a number that is not known is absent
 */
public record Interval(double endSeconds, double spanSeconds, Map<String, Double> counts) {
  public Interval {
    counts = Map.copyOf(counts);
  }

  /** A number of the line; NaN when it has none of that name. */
  public double value(String column) {
    return counts.getOrDefault(column, Double.NaN);
  }

  /** A count of the line by second; NaN when it is not known. */
  public double perSecond(String column) {
    return spanSeconds > 0 ? value(column) / spanSeconds : Double.NaN;
  }

  /** The lines of an interval file; the first interval begins with the load. */
  static List<Interval> of(List<Map<String, String>> rows) {
    var intervals = new ArrayList<Interval>();
    double last = 0;
    for (var row : rows) {
      var counts = new HashMap<String, Double>();
      row.forEach(
          (column, text) -> {
            if (!text.isEmpty()) {
              counts.put(column, Double.parseDouble(text));
            }
          });
      var end = counts.remove("seconds");
      if (end == null) {
        throw new IllegalArgumentException("a line has no seconds");
      }
      intervals.add(new Interval(end, end - last, counts));
      last = end;
    }
    return intervals;
  }
}
