package dev.queencell.state.control;

import java.util.regex.Pattern;

/** The one spelling of ids that is accepted: 8-4-4-4-12 hex. */
public final class Ids {
  private static final Pattern UUID_TEXT =
      Pattern.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");

  private Ids() {}

  public static boolean isUuid(String text) {
    return UUID_TEXT.matcher(text).matches();
  }
}
