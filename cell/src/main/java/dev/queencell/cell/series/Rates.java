package dev.queencell.cell.series;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;

/** The rates of a ladder's steps, ascending, each once. */
final class Rates {
  static final int STEPS_MAX = 100;
  static final double RATE_MAX = 1e7;

  private static final MathContext TWO_DIGITS = new MathContext(2, RoundingMode.HALF_UP);

  private Rates() {}

  /** Each rate a fixed factor above the one before, at two significant digits. */
  static List<Double> byFactor(double from, double to, double factor) {
    check(from, to);
    if (!(factor >= 1.01 && factor <= 100)) {
      throw new IllegalArgumentException("--factor is %s; it takes 1.01 to 100".formatted(factor));
    }
    var rates = new ArrayList<Double>();
    for (double rate = from; rate <= to * 1.0001; rate *= factor) {
      rates.add(Math.min(to, twoDigits(rate)));
      checkCount(rates);
    }
    return ascending(rates);
  }

  /** Each rate a fixed step above the one before. */
  static List<Double> byStep(double from, double to, double step) {
    check(from, to);
    if (!(step > 0)) {
      throw new IllegalArgumentException("--step is %s; it takes a rate above 0".formatted(step));
    }
    var rates = new ArrayList<Double>();
    for (int i = 0; from + i * step <= to * 1.0001; i++) {
      rates.add(from + i * step);
      checkCount(rates);
    }
    return ascending(rates);
  }

  /** The given rates in ascending order. */
  static List<Double> listed(List<Double> rates) {
    for (double rate : rates) {
      if (!(rate > 0 && rate <= RATE_MAX)) {
        throw new IllegalArgumentException(
            "--rates has %s; it takes rates above 0, up to 10000000".formatted(plain(rate)));
      }
    }
    checkCount(rates);
    return ascending(rates);
  }

  /** Between two rates by ratio, at two significant digits where that tells it from both. */
  static double between(double low, double high) {
    double exact = Math.sqrt(low * high);
    double round = twoDigits(exact);
    return round > low && round < high ? round : exact;
  }

  /** Without a fraction where there is none: 500, 0.5. */
  static String plain(double rate) {
    return BigDecimal.valueOf(rate).stripTrailingZeros().toPlainString();
  }

  private static double twoDigits(double rate) {
    return BigDecimal.valueOf(rate).round(TWO_DIGITS).doubleValue();
  }

  private static void check(double from, double to) {
    if (!(from > 0 && to >= from && to <= RATE_MAX)) {
      throw new IllegalArgumentException(
          "--from %s --to %s is no range; rates are above 0, up to 10000000, in ascending order"
              .formatted(plain(from), plain(to)));
    }
  }

  private static void checkCount(List<Double> rates) {
    if (rates.size() > STEPS_MAX) {
      throw new IllegalArgumentException("these are more than %d rates".formatted(STEPS_MAX));
    }
  }

  private static List<Double> ascending(List<Double> rates) {
    return rates.stream().sorted().distinct().toList();
  }
}
