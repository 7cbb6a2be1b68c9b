package dev.queencell.loader.pipeline;

import java.util.ArrayList;
import java.util.List;

/**
 * The pipeline's stages, in two flows that never meet: {@code cm-avail} → {@code cm-db} → {@code
 * cm-ota-sync} → {@code ota-1..n}, and {@code cm-prices} → {@code cm-cal} → {@code cm-ota-prices} →
 * {@code otap-1..n}.
 */
final class Topology {
  static final List<String> QUEUES =
      List.of("cm-avail", "cm-ota-sync", "cm-prices", "cm-ota-prices");

  /** How many flows there are. */
  static final int FLOWS = 2;

  private Topology() {}

  /**
   * One group's reading of one queue.
   *
   * @param flow 0 for availabilities, 1 for prices
   * @param next the queue that it pushes to; null for a final stage
   * @param counts whether its deliveries are the run's count of events that came through
   */
  record Stage(int flow, String queue, String group, String next, boolean counts) {
    String name() {
      return queue + "_" + group;
    }

    boolean isFinal() {
      return next == null;
    }
  }

  /** All stages, each flow's first stage before its final ones. */
  static List<Stage> stages(int otaGroups) {
    var stages = new ArrayList<Stage>();
    stages.add(new Stage(0, "cm-avail", "cm-db", "cm-ota-sync", false));
    for (int i = 1; i <= otaGroups; i++) {
      stages.add(new Stage(0, "cm-ota-sync", "ota-" + i, null, i == 1));
    }
    stages.add(new Stage(1, "cm-prices", "cm-cal", "cm-ota-prices", false));
    for (int i = 1; i <= otaGroups; i++) {
      stages.add(new Stage(1, "cm-ota-prices", "otap-" + i, null, i == 1));
    }
    return List.copyOf(stages);
  }

  /** Where a flow's events enter. */
  static String ingress(int flow) {
    return flow == 0 ? "cm-avail" : "cm-prices";
  }

  /** The name of a property's lane, in every queue. */
  static String lane(int property) {
    return "prop-" + property;
  }
}
