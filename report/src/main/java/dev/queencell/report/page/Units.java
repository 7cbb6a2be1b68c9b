package dev.queencell.report.page;

import dev.queencell.report.figure.Figure.Unit;
import java.util.Locale;

/** Numbers as a person reads them: three digits that count, with a unit, a dash for the unknown. */
final class Units {
  static final String UNKNOWN = "–";

  private static final double KIB = 1024;
  private static final String[] BYTES = {"B", "KiB", "MiB", "GiB", "TiB"};
  private static final double MS_PER_SECOND = 1000;
  private static final double MS_SHOWN_MAX = 10_000;

  private Units() {}

  static String of(Unit unit, double value) {
    return switch (unit) {
      case PER_SECOND -> perSecond(value);
      case BYTES_PER_SECOND -> Double.isFinite(value) ? bytes(value) + "/s" : UNKNOWN;
      case MS -> ms(value);
      case MICROS -> micros(value);
      case CPUS, RATIO -> digits(value);
      case SHARE -> share(value);
      case BYTES -> bytes(value);
      case COUNT -> count(value);
    };
  }

  /** With its sign, for differences; a real minus. */
  static String signed(Unit unit, double value) {
    if (!Double.isFinite(value)) {
      return UNKNOWN;
    }
    var sign = value > 0 ? "+" : value < 0 ? "−" : "±";
    return sign + of(unit, Math.abs(value));
  }

  static String perSecond(double value) {
    return Double.isFinite(value) ? whole(value) + "/s" : UNKNOWN;
  }

  static String count(double value) {
    return Double.isFinite(value) ? whole(value) : UNKNOWN;
  }

  static String micros(double value) {
    return Double.isFinite(value) ? digits(value) + " µs" : UNKNOWN;
  }

  static String ms(double value) {
    if (!Double.isFinite(value)) {
      return UNKNOWN;
    }
    return value < MS_SHOWN_MAX ? digits(value) + " ms" : digits(value / MS_PER_SECOND) + " s";
  }

  static String share(double value) {
    return Double.isFinite(value) ? digits(value * 100) + "%" : UNKNOWN;
  }

  static String bytes(double value) {
    if (!Double.isFinite(value)) {
      return UNKNOWN;
    }
    double left = value;
    int unit = 0;
    while (Math.abs(left) >= KIB && unit < BYTES.length - 1) {
      left /= KIB;
      unit++;
    }
    return digits(left) + " " + BYTES[unit];
  }

  /** A cap on CPU as it was asked for; it is no measurement, so it has no digits that measure. */
  static String capCpus(double value) {
    return Double.isFinite(value) ? exact(value) + (value == 1 ? " CPU" : " CPUs") : UNKNOWN;
  }

  /** A cap on memory as it was asked for. */
  static String capMemory(double bytes) {
    return Double.isFinite(bytes) ? exact(bytes / KIB / KIB / KIB) + " GiB" : UNKNOWN;
  }

  private static String exact(double value) {
    return format("%.3f", value).replaceAll("\\.?0+$", "");
  }

  /** Three digits that count, thousands apart. */
  static String digits(double value) {
    if (!Double.isFinite(value)) {
      return UNKNOWN;
    }
    double size = Math.abs(value);
    if (size >= 100 || value == 0) {
      return whole(value);
    }
    if (size >= 10) {
      return format("%.1f", value);
    }
    return format(size >= 1 ? "%.2f" : "%.3f", value);
  }

  private static String whole(double value) {
    return format(Math.abs(value) < 10 && value != Math.rint(value) ? "%.1f" : "%,.0f", value);
  }

  private static String format(String pattern, double value) {
    return String.format(Locale.ROOT, pattern, value);
  }
}
