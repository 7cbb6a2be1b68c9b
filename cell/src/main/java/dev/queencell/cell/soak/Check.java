package dev.queencell.cell.soak;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One look at the run: numbers by name, in the order of {@link #COLUMNS}. What is not known is
 * absent.
 */
record Check(Map<String, Double> values) {
  static final String EPOCH_MS = "epochMs";
  static final String SECONDS = "seconds";
  static final String DELIVERED_PER_SEC = "deliveredPerSec";
  static final String P99_MS = "endToEndP99Ms";
  static final String DATABASE_BYTES = "databaseBytes";
  static final String DEAD_TUPLES = "deadTuples";
  static final String RESTARTS = "Restarts";
  static final String RESIDENT_BYTES = "ResidentBytes";

  /** The cell's processes, as {@code status} calls them. */
  static final List<String> PROCESSES = List.of("pg", "statepg", "state", "broker", "proxy");

  static final List<String> COLUMNS = columns();

  Check {
    values = new LinkedHashMap<>(values);
  }

  /** The value; {@code NaN} when it is not known. */
  double get(String column) {
    return values.getOrDefault(column, Double.NaN);
  }

  /** How often processes were restarted, all together; {@code NaN} when none is known. */
  double restarts() {
    return PROCESSES.stream()
        .mapToDouble(process -> get(process + RESTARTS))
        .filter(count -> !Double.isNaN(count))
        .reduce(Double::sum)
        .orElse(Double.NaN);
  }

  private static List<String> columns() {
    var columns = new ArrayList<String>();
    columns.addAll(
        List.of(EPOCH_MS, SECONDS, DELIVERED_PER_SEC, P99_MS, DATABASE_BYTES, DEAD_TUPLES));
    PROCESSES.forEach(process -> columns.add(process + RESIDENT_BYTES));
    PROCESSES.forEach(process -> columns.add(process + RESTARTS));
    return List.copyOf(columns);
  }
}
