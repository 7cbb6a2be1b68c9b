package dev.queencell.loader.run;

import dev.queencell.client.QueenClient;

/**
 * A tenant as the load knows it.
 *
 * @param index its number in the account and in every stamp
 * @param group that consumes its queue; empty for queue mode
 */
public record Member(int index, String name, QueenClient client, String queue, String group) {
  /** The name of a lane, the same for every tenant. */
  public static String partitionName(int partition) {
    return "p" + partition;
  }

  /** The lane with this name; -1 when the name is none of ours. */
  static int partitionIndex(String name) {
    if (!name.matches("p(0|[1-9]\\d{0,8})")) {
      return -1;
    }
    return Integer.parseInt(name.substring(1));
  }
}
