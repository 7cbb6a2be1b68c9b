package dev.queencell.loader.pace;

/**
 * One tenant whose lanes come alive in turns: in each second a window of lanes takes all events
 * round robin, and the next second's window lies beside it, so that a large space of lanes is
 * covered steadily and most of it is idle at any moment.
 *
 * @param partitions all lanes
 * @param active lanes in a window; all of them at once when it is as large as the space
 */
public record MovingWindow(int partitions, int active) implements Aim {
  private static final long SECOND_NANOS = 1_000_000_000;

  public MovingWindow {
    if (active < 1 || active > partitions) {
      throw new IllegalArgumentException(
          "a window takes 1 to %d lanes, not %d".formatted(partitions, active));
    }
  }

  @Override
  public int tenant(long event) {
    return 0;
  }

  @Override
  public int partition(long event, long sinceStartNanos) {
    long start = active == partitions ? 0 : sinceStartNanos / SECOND_NANOS * active;
    return (int) ((start + event % active) % partitions);
  }
}
