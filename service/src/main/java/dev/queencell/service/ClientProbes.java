package dev.queencell.service;

/**
 * How the kernel probes a client that stays silent, and when it takes it for gone: one whose
 * machine or network has vanished sends neither an end nor a reset. Its place is free after {@code
 * afterSeconds} and {@code probes} times {@code intervalSeconds}, up to one interval less where the
 * client's last word was an answer to a probe.
 *
 * @param afterSeconds silence before the first probe
 * @param intervalSeconds between probes that stay unanswered
 * @param probes how many may stay unanswered
 */
public record ClientProbes(int afterSeconds, int intervalSeconds, int probes) {
  public static final ClientProbes DEFAULT = new ClientProbes(10, 1, 3);

  /** What Linux takes. */
  private static final int SECONDS_MAX = 32_767;

  private static final int PROBES_MAX = 127;

  /** Reads the settings of a service. */
  public static ClientProbes read(Settings settings) {
    return new ClientProbes(
        settings.integer("QUEENCELL_PROBE_AFTER_SECONDS", DEFAULT.afterSeconds, 1, SECONDS_MAX),
        settings.integer(
            "QUEENCELL_PROBE_INTERVAL_SECONDS", DEFAULT.intervalSeconds, 1, SECONDS_MAX),
        settings.integer("QUEENCELL_PROBES", DEFAULT.probes, 1, PROBES_MAX));
  }
}
