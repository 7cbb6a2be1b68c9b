package dev.queencell.cell.series;

import java.math.BigDecimal;
import java.math.RoundingMode;
import tools.jackson.databind.node.ObjectNode;

/** How the numbers of this package are written: never in scientific form, unknown ones as such. */
final class Numbers {
  static final String UNKNOWN = "?";
  private static final int JSON_DECIMALS = 4;

  private Numbers() {}

  static String rounded(double value, int decimals) {
    return Double.isFinite(value)
        ? BigDecimal.valueOf(value).setScale(decimals, RoundingMode.HALF_UP).toPlainString()
        : UNKNOWN;
  }

  static String percent(double share) {
    return Double.isFinite(share) ? rounded(share * 100, 1) + '%' : UNKNOWN;
  }

  /** Puts a number, {@code null} when it is not known. */
  static void put(ObjectNode node, String key, double value) {
    if (Double.isFinite(value)) {
      node.put(key, exact(value));
    } else {
      node.putNull(key);
    }
  }

  /** For a file: at most four decimals; null when it is not known. */
  static BigDecimal exact(double value) {
    if (!Double.isFinite(value)) {
      return null;
    }
    var number = BigDecimal.valueOf(value).setScale(JSON_DECIMALS, RoundingMode.HALF_UP);
    var stripped = number.stripTrailingZeros();
    return stripped.scale() < 0 ? stripped.setScale(0, RoundingMode.UNNECESSARY) : stripped;
  }
}
