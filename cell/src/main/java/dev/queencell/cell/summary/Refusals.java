package dev.queencell.cell.summary;

import tools.jackson.databind.node.ObjectNode;

/** What the loader's record says about messages that a quota refused. */
final class Refusals {
  private static final String PUSH = "push.";

  private Refusals() {}

  /**
   * Messages refused by a quota, per second of the steady window: of those whose push failed in it,
   * the part that the status 429 or 403 has among all failed pushes. 0 when nothing was refused.
   */
  static double perSecond(ObjectNode record) {
    double refused = 0;
    double all = 0;
    for (var kind : record.path("errors").properties()) {
      if (kind.getKey().startsWith(PUSH) && kind.getValue().isNumber()) {
        all += kind.getValue().doubleValue();
        refused += isRefusal(kind.getKey()) ? kind.getValue().doubleValue() : 0;
      }
    }
    double failed = record.path("steadyTotals").path("pushFailed").asDouble(0);
    double seconds = record.path("steadySeconds").asDouble(0);
    return refused > 0 && seconds > 0 ? failed * refused / all / seconds : 0;
  }

  private static boolean isRefusal(String kind) {
    return kind.startsWith(PUSH + "429") || kind.startsWith(PUSH + "403");
  }
}
