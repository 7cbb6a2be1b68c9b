package dev.queencell.proxy.edge;

import java.util.Locale;

/** The {@code Host} header as names. */
final class HostName {
  private static final int LABEL_CHARS_MAX = 63;

  private HostName() {}

  /** The whole name, lower-cased, without port and trailing dot; empty when there is none. */
  static String whole(String header) {
    if (header == null) {
      return "";
    }
    int end = header.length();
    if (header.startsWith("[")) {
      return "";
    }
    int colon = header.indexOf(':');
    if (colon >= 0) {
      end = colon;
    }
    if (end > 0 && header.charAt(end - 1) == '.') {
      end--;
    }
    return header.substring(0, end).toLowerCase(Locale.ROOT);
  }

  /** The first label, if a slug can look like that; null otherwise. */
  static String label(String wholeName) {
    int dot = wholeName.indexOf('.');
    var label = dot < 0 ? wholeName : wholeName.substring(0, dot);
    if (label.isEmpty() || label.length() > LABEL_CHARS_MAX) {
      return null;
    }
    for (int i = 0; i < label.length(); i++) {
      char c = label.charAt(i);
      boolean usable = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
      if (!usable) {
        return null;
      }
    }
    return label;
  }
}
